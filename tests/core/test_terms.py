from __future__ import annotations

from datetime import timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from studyapp.core.policy import DEFAULT_PARAMETERS, Policy
from studyapp.core.terms import policy_of_terms, terms_of

OWN = (0.3, *DEFAULT_PARAMETERS[1:])
STEPS = st.lists(st.integers(1, 40_000), max_size=3).map(
    lambda found: tuple(timedelta(seconds=seconds) for seconds in sorted(found))
)
POLICIES = st.builds(
    Policy,
    parameters=st.sampled_from([DEFAULT_PARAMETERS, OWN]),
    desired_retention=st.floats(0.70, 0.97),
    learning_steps=STEPS,
    relearning_steps=STEPS,
    maximum_interval=st.integers(1, 36_500),
    fuzz=st.booleans(),
)


@settings(deadline=None, derandomize=True)
@given(policy=POLICIES)
def test_the_terms_of_a_row_give_its_policy_back(policy: Policy) -> None:
    sets = {Policy(parameters=OWN).key: OWN}

    assert policy_of_terms(terms_of(policy), sets, Policy(desired_retention=0.8)) == policy


def test_usual_terms_are_the_key_of_the_parameters_alone() -> None:
    assert terms_of(Policy()) == Policy().key


def test_a_row_that_does_not_say_and_one_that_cannot_be_understood_take_the_present_policy() -> None:
    now = Policy(desired_retention=0.8)

    for text in ("", f"{now.key} retention=7", f"{now.key} learning=x", f"{now.key} maximum=1e9"):
        assert policy_of_terms(text, {}, now) == now


def test_an_unknown_parameter_set_keeps_the_other_terms() -> None:
    now = Policy(parameters=OWN)

    assert policy_of_terms("fsrs6-elsewhere retention=0.95", {}, now) == Policy(
        parameters=OWN, desired_retention=0.95
    )
