/** Returns the words of a text, which is easier to read than a list of many strings. */
const words = ({ raw }: TemplateStringsArray): readonly string[] => raw.join("").trim().split(/\s+/);

/**
 * Paths of the system that every agent can read: programs, settings, and the number of processors. Of /var only what
 * belongs to installed packages, because sockets and data of services are there.
 */
export const systemPaths: readonly string[] = words`
  /usr /bin /sbin /lib /lib32 /lib64 /libx32 /etc /etc/resolv.conf /etc/localtime /opt /nix /gnu /snap
  /home/linuxbrew/.linuxbrew
  /var/lib/dpkg /var/lib/rpm /var/lib/pacman/local /var/lib/ca-certificates /var/lib/gems /var/lib/texmf
  /var/cache/fontconfig
  /sys/devices/system /sys/fs/cgroup
`;

/**
 * Paths below the user's home that every agent can read: compilers and other tools, git's settings, and instructions for
 * agents. Never the startup files of shells, because people set keys in them. Of a folder in which a tool also keeps
 * credentials or a cache that it writes, only its programs.
 */
export const homePaths: readonly string[] = words`
  .nvm .volta .fnm .local/share/fnm .nodenv .bun/bin .deno/bin .local/share/pnpm .npm-global
  .asdf .tool-versions .local/share/mise .local/share/rtx .sdkman .jenv .jdks
  .rustup .cargo/bin .cargo/env .pyenv .local/share/uv .local/share/pipx .local/pipx .poetry .local/lib
  miniconda3 anaconda3 miniforge3 mambaforge .rbenv .rvm .goenv go/bin sdk .dotnet .ghcup .opam .juliaup .elan .swiftly
  .nix-profile .linuxbrew flutter .pub-cache/bin .krew/bin .local/bin .terminfo
  .gitconfig .config/git/config .config/git/ignore .config/git/attributes .agents/skills
`;

/** Variables that name files with certificates. A company's certificate is needed for every connection. */
export const certificateVariables: readonly string[] = words`
  NODE_EXTRA_CA_CERTS SSL_CERT_FILE SSL_CERT_DIR REQUESTS_CA_BUNDLE CURL_CA_BUNDLE GIT_SSL_CAINFO AWS_CA_BUNDLE
`;
