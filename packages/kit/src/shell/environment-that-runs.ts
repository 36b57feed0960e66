/** Variables that make shells, linkers, interpreters and tools run other programs or load other code. */
const names = new Set(
  (
    "PATH IFS ENV BASH_ENV SHELLOPTS BASHOPTS PROMPT_COMMAND PS0 PS1 PS2 PS4 CDPATH SHELL HOME ZDOTDIR INPUTRC HISTFILE FPATH " +
    "XDG_CONFIG_HOME XDG_DATA_HOME XDG_CONFIG_DIRS XDG_DATA_DIRS EDITOR VISUAL FCEDIT PAGER MANPAGER MANOPT MANPATH BROWSER LESS " +
    "LESSOPEN LESSCLOSE LESSKEY LESSKEYIN EXINIT VIMINIT TAR_OPTIONS ZIPOPT GZIP RSYNC_RSH RSYNC_OLD_ARGS SSH_ASKPASS SUDO_ASKPASS " +
    "SSH_AUTH_SOCK GCONV_PATH LOCPATH NLSPATH HOSTALIASES RES_OPTIONS TERMINFO TERMCAP OPENSSL_CONF OPENSSL_MODULES " +
    "NODE_OPTIONS NODE_PATH NODE_REPL_EXTERNAL_MODULE NODE_EXTRA_CA_CERTS NODE_TLS_REJECT_UNAUTHORIZED JAVA_TOOL_OPTIONS _JAVA_OPTIONS " +
    "JDK_JAVA_OPTIONS JAVA_OPTS MAVEN_OPTS MAVEN_ARGS GRADLE_OPTS SBT_OPTS CLASSPATH RUBYOPT RUBYLIB RUBYSHELL " +
    "GOFLAGS GOPROXY GOROOT GOTOOLCHAIN GONOSUMDB GOINSECURE GOENV CGO_CFLAGS CGO_LDFLAGS RUSTC RUSTC_WRAPPER RUSTC_WORKSPACE_WRAPPER " +
    "RUSTDOC RUSTFLAGS RUSTUP_TOOLCHAIN MAKE MAKEFLAGS MAKEFILES GNUMAKEFLAGS MFLAGS CC CXX CPP LD AR AS CMAKE_TOOLCHAIN_FILE " +
    "COMPILER_PATH GCC_EXEC_PREFIX LIBRARY_PATH DOCKER_HOST DOCKER_CONFIG KUBECONFIG RIPGREP_CONFIG_PATH GREP_OPTIONS " +
    "ACKRC FZF_DEFAULT_COMMAND FZF_DEFAULT_OPTS BAT_PAGER DELTA_PAGER PSQLRC SYSTEMD_PAGER SYSTEMD_EDITOR CURL_HOME WGETRC " +
    "SSL_CERT_FILE SSL_CERT_DIR REQUESTS_CA_BUNDLE TCLLIBPATH LUA_INIT LUA_PATH LUA_CPATH PHPRC PHP_INI_SCAN_DIR R_PROFILE " +
    "PYTEST_ADDOPTS PYTEST_PLUGINS AWS_CONFIG_FILE GNUPGHOME"
  ).split(" "),
);
const families =
  /^(?:LD_|DYLD_|BASH_FUNC_|GIT_|PYTHON|PERL5|NPM_CONFIG_|npm_config_|CARGO_|PIP_|UV_|POETRY_|BUNDLE_|GEM_|YARN_|PNPM_|COREPACK_|TF_CLI_|TF_VAR_|HOMEBREW_|CONDA_)|_(?:PROXY|proxy|PAGER|EDITOR|ASKPASS|PRELOAD)$/;
/** Members of those families, and their values, that run nothing. */
const harmless: readonly (readonly [name: RegExp, value: RegExp])[] = [
  [/^(?:PAGER|\w+_PAGER|MANPAGER)$/, /^(?:cat|less|more|)$/],
  [/^(?:EDITOR|VISUAL|GIT_EDITOR|GIT_SEQUENCE_EDITOR)$/, /^(?:true|:|cat)$/],
  [/^GIT_(?:AUTHOR|COMMITTER)_(?:NAME|EMAIL|DATE)$/, /^/],
  [/^GIT_(?:TERMINAL_PROMPT|OPTIONAL_LOCKS|TRACE|MERGE_AUTOEDIT|LITERAL_PATHSPECS)$/, /^\d*(?:no|yes)?$/],
  [/^PYTHON(?:UNBUFFERED|DONTWRITEBYTECODE|HASHSEED|IOENCODING|UTF8|FAULTHANDLER|OPTIMIZE|ASYNCIODEBUG|DEVMODE)$/, /^/],
  // Code of the workspace may run anyway.
  [/^(?:PYTHONPATH|NODE_PATH)$/, /^(?!.*\.\.)[\w.-]+(?:[/:][\w.-]+)*\/?$/],
  [/^NODE_OPTIONS$/, /^(?:--(?:max-old-space-size=\d+|enable-source-maps|(?:experimental|no|trace)-[\w-]+)(?: |$))*$/],
  [/^CARGO_(?:TERM_\w+|INCREMENTAL|BUILD_JOBS|NET_OFFLINE|PROFILE_\w+)$/, /^/],
  [/^RUSTFLAGS$/, /^(?:-D ?warnings|-A ?warnings)?$/],
  [/^GOFLAGS$/, /^(?:-mod=(?:mod|vendor|readonly)|-count=\d+|-v|-race)?$/],
  [/^PIP_(?:DISABLE_PIP_VERSION_CHECK|NO_INPUT|NO_CACHE_DIR|PROGRESS_BAR)$/, /^/],
  [/^(?:CC|CXX)$/, /^(?:gcc|g\+\+|cc|c\+\+|clang|clang\+\+)(?:-\d+)?$/],
  [/^npm_config_(?:loglevel|yes|offline|fund|audit|progress)$/i, /^/],
  [/^HOMEBREW_NO_\w+$/, /^/],
  [/^UV_(?:OFFLINE|NO_PROGRESS|NO_SYNC|FROZEN)$/, /^/],
  [/^LESS$/, /^-?[FRXSi]*$/],
];

/** Reports whether this value of a variable can make programs run other programs. Null is an unknown value. */
export function variableRunsPrograms(name: string, value: string | null): boolean {
  if (!names.has(name) && !families.test(name)) return false;
  return value === null || !harmless.some(([names_, values]) => names_.test(name) && values.test(value));
}
