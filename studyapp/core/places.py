"""Where the learner's files live, from the environment alone: nothing imported, so that `status` can afford it."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


def data_dir(environ: "Mapping[str, str]", platform: str) -> str:
    """Return the data folder: `STUDYAPP_DATA_DIR`, else the platform's own place.

    Args:
        environ: A mapping like `os.environ`.
        platform: `sys.platform`.
    """
    return environ.get("STUDYAPP_DATA_DIR") or _place(environ, platform, "XDG_DATA_HOME", ".local/share")


def config_file(environ: "Mapping[str, str]", platform: str) -> str:
    """Return the path of the TOML file: `STUDYAPP_CONFIG`, else the platform's own place."""
    place = _place(environ, platform, "XDG_CONFIG_HOME", ".config")
    return environ.get("STUDYAPP_CONFIG") or place + "/config.toml"


def _place(environ: "Mapping[str, str]", platform: str, variable: str, beneath_home: str) -> str:
    home = environ.get("HOME") or "."
    if platform == "darwin":
        return home + "/Library/Application Support/studyapp"
    base = environ.get(variable, "")
    # the XDG specification: a relative path is invalid and must be ignored
    return (base if base.startswith("/") else home + "/" + beneath_home) + "/studyapp"
