import { nameCommand, type PolicyFinding, type Recognizer } from "./policy-finding.ts";
import { pathOf } from "./locate-path.ts";
import { findOption, separateArguments } from "./separate-arguments.ts";
import { vettedPrograms } from "./vetted-programs.ts";

/** Programs that connect or listen. */
const networkPrograms = new Set(
  "curl wget nc ncat netcat socat ssh scp sftp rsync telnet ftp lftp tftp ping ping6 traceroute tracepath mtr nslookup dig host whois drill http https xh httpie lynx links w3m elinks aria2c axel rclone svn hg bzr nmap masscan tcpdump tshark ngrok cloudflared localtunnel code s_client openssl gh glab hub tea aws gcloud gsutil az heroku doctl flyctl fly railway vercel netlify firebase wrangler supabase mail mailx sendmail msmtp mutt swaks redis-cli psql mysql mongosh mongo http-server serve live-server json-server ntpdate wscat websocat grpcurl coveralls codecov".split(
    " ",
  ),
);

/** Programs that publish or change a remote environment: the words that matter, or all. */
const deploys: Readonly<Record<string, string>> = {
  npm: "publish pub unpublish deprecate dist-tag access owner team org hook star version",
  yarn: "publish npm version deploy release",
  pnpm: "publish deploy version",
  bun: "publish",
  deno: "publish deploy",
  cargo: "publish release yank owner login",
  twine: ".",
  flit: "publish",
  mkdocs: "gh-deploy",
  buf: "push",
  poetry: "publish",
  uv: "publish",
  hatch: "publish",
  pdm: "publish",
  gem: "push yank",
  mix: "hex.publish hex.build phx.deploy",
  docker: "push login",
  podman: "push login",
  skaffold: "run dev deploy apply",
  kubectl:
    "apply create delete replace patch edit scale rollout set autoscale label annotate expose run exec cp drain cordon taint attach port-forward debug",
  helm: "upgrade install uninstall rollback delete push",
  kustomize: "apply",
  terraform: "apply destroy import state taint untaint force-unlock workspace console",
  tofu: "apply destroy import state taint",
  terragrunt: ".",
  pulumi: ".",
  cdk: ".",
  sam: ".",
  serverless: ".",
  sls: ".",
  ansible: ".",
  "ansible-playbook": ".",
  cap: ".",
  fab: ".",
  fly: ".",
  flyctl: ".",
  vercel: ".",
  netlify: ".",
  wrangler: ".",
  firebase: ".",
  railway: ".",
  eb: ".",
  heroku: ".",
  supabase: ".",
  "semantic-release": ".",
  "release-it": ".",
  lerna: "publish version",
  changeset: "publish version",
  goreleaser: ".",
  "gh-pages": ".",
  prisma: "migrate db",
  alembic: "upgrade downgrade",
  gcloud: ".",
  aws: ".",
  az: ".",
  gh: "release workflow run deployment",
  scp: ".",
  rsync: ".",
  ssh: ".",
};

/** Programs whose second word matters, as in `docker compose push`. */
const nested = new Set(["docker", "podman", "yarn", "dotnet", "npx"]);

const mergers: readonly string[] = [
  "gh pr merge",
  "gh pr review",
  "gh api",
  "gh repo",
  "glab mr merge",
  "glab mr accept",
  "glab mr approve",
  "hub merge",
  "hub push",
  "hg push",
  "az repos pr",
];

/** Finds commands that use the network, publish, or merge elsewhere. */
export const recognizeRemote: Recognizer = (command) => {
  const { program, redirects, args } = command;
  const subject = nameCommand(command);
  const findings: PolicyFinding[] = [];
  const find = (category: PolicyFinding["category"], because: string): void =>
    void findings.push({ category, subject, because });
  if (redirects.some(({ path }) => /^\/dev\/(?:tcp|udp)\//.test(pathOf(path)))) find("network", "connects to a host");
  if (program === null) return findings;
  if (networkPrograms.has(program)) find("network", "connects to other hosts");
  const { operands } = separateArguments(args, new Set(vettedPrograms.get(program)?.valued?.split(" ")));
  const words = operands.map(({ value }) => value ?? "?");
  const target = /^(?:npx|bunx|pnpx)$/.test(program) ? (words.shift() ?? "") : program;
  const verbs = Object.hasOwn(deploys, target) ? (deploys[target]?.split(" ") ?? []) : [];
  if (verbs.includes(".") || words.slice(0, nested.has(target) ? 2 : 1).some((word) => verbs.includes(word)))
    find("deploy", "publishes, or changes a remote environment");
  if (findOption(args, ["--push"]) !== null && /^(?:docker|podman)$/.test(program))
    find("deploy", "publishes an image");
  const line = [program, ...words].join(" ");
  if (mergers.some((start) => line === start || line.startsWith(`${start} `))) find("merge", "updates a shared ref");
  if (program === "git" && words.includes("push") && words.some((word) => /heroku|dokku|deploy|prod/i.test(word))) {
    find("deploy", "pushes to where it is deployed");
  }
  if (
    /^(?:curl|wget|http|xh)$/.test(program) &&
    args.some(({ value }) => /\/merges?(?:$|[/?])|merge_requests/.test(value ?? ""))
  ) {
    find("merge", "updates a shared ref");
  }
  if (
    /^(?:mvnw?|gradlew?)$/.test(program) &&
    words.some((word) => /^(?:deploy|release|publish|upload|:?.*:publish)/i.test(word))
  ) {
    find("deploy", "publishes");
  }
  if (/^dotnet$/.test(program) && words.some((word) => word === "publish" || word === "push"))
    find("deploy", "publishes");
  if (
    program.startsWith("python") &&
    args.some(
      ({ value }, at) =>
        value === "-m" && /^(?:http\.server|smtpd|ftplib|telnetlib|twine|xmlrpc)/.test(args[at + 1]?.value ?? ""),
    )
  ) {
    find("network", "connects or listens");
  }
  if (program === "php" && findOption(args, ["-S"]) !== null) find("network", "listens");
  if (/^rails$|^rake$/.test(program) && words.some((word) => word.startsWith("db:")))
    find("deploy", "changes a database");
  return findings;
};
