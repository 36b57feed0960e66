/** Returns the words of a text, which is easier to read than a list of many strings. */
const words = ({ raw }: TemplateStringsArray): readonly string[] => raw.join("").trim().split(/\s+/);

/**
 * Paths below the user's home with credentials, sockets and private data. No agent needs them to change code. The home is
 * empty for an agent: these are hidden if a folder that it sees contains them, or a link in a folder of programs leads there.
 */
export const secretHomePaths: readonly string[] = words`
  .ssh .gnupg .netrc .git-credentials .config/git/credentials .password-store .pki .aws .azure .config/gcloud
  .config/doctl .oci .kube .docker .config/containers .vault-token .npmrc .yarnrc .yarnrc.yml .pypirc
  .config/pip .gem/credentials .cargo/credentials.toml .cargo/credentials .m2/settings.xml
  .gradle/gradle.properties .composer/auth.json .terraform.d .config/gh .config/glab-cli .config/hub
  .config/op .config/rclone .config/sops .config/age .pgpass .my.cnf .mylogin.cnf .psql_history .bash_history
  .zsh_history .python_history .node_repl_history .lesshst .viminfo .local/share/fish/fish_history
  .local/share/keyrings .mozilla .thunderbird .config/google-chrome .config/chromium .config/BraveSoftware
  .tmux .screen .local/share/containers .cache
`;

/** Files of the machine with secrets. Root can read them, and an agent of root's as well. */
export const secretMachinePaths: readonly string[] = words`
  /etc/shadow /etc/shadow- /etc/gshadow /etc/gshadow- /etc/sudoers /etc/sudoers.d /etc/ssh /etc/ssl/private
  /etc/kubernetes /etc/rancher /etc/letsencrypt /etc/wireguard /etc/openvpn /etc/ipsec.secrets /etc/ppp /etc/krb5.keytab
  /etc/docker /etc/sssd /etc/cups /etc/mysql/debian.cnf /etc/postfix /etc/environment
`;

/**
 * Files and folders of a workspace that run programs of the person who opens it, whatever the agent. A folder rather than
 * the files in it: a mount over a file is gone once the user's editor replaces the file.
 */
export const workspacePrograms: readonly string[] = words`
  fairlead.yaml .envrc .vscode .idea .husky .git-hooks .githooks .pre-commit-config.yaml lefthook.yml .devcontainer
`;
