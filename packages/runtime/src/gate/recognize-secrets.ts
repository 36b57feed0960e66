import type { ShellWord } from "@fairlead/kit";
import { nameCommand, type PolicyFinding, type Recognizer } from "./policy-finding.ts";
import { pathOf } from "./locate-path.ts";
import { inspectRead } from "./inspect-path.ts";
import { separateArguments } from "./separate-arguments.ts";

const secretVariables =
  /(?:^|_)(?:API_?KEY|SECRET|TOKEN|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|PRIVATE_?KEY|ACCESS_?KEY|AUTH_TOKEN|CONNECTION_STRING)(?:_|$|\d)|^(?:PASS|DATABASE_URL|SSH_AUTH_SOCK)$|_(?:KEY|PASS|PAT)$/i;
/** Patterns of a search that only credentials match. */
const searchedSecrets = /\b[A-Z_]*(?:API_KEY|SECRET_KEY|ACCESS_KEY|PRIVATE_KEY|AUTH_TOKEN|PRIVATE KEY)\b/;
/** Programs whose arguments are texts and not files. */
const takesText = new Set(["echo", "printf", "test", "[", "true", "false", ":", "export", "git commit", "expr"]);

/** Commands that print credentials: the program and the words that its arguments begin with. */
const printers: readonly string[] = [
  "gh auth token",
  "gh auth status",
  "gh secret",
  "glab auth",
  "npm token",
  "npm config",
  "npm whoami",
  "aws secretsmanager",
  "aws ssm",
  "aws configure",
  "aws sts",
  "aws ecr",
  "gcloud auth",
  "gcloud secrets",
  "az account",
  "az keyvault",
  "kubectl get secret",
  "kubectl get secrets",
  "kubectl config",
  "kubectl describe secret",
  "docker inspect",
  "docker compose config",
  "docker history",
  "vault",
  "op",
  "pass",
  "bw",
  "doppler",
  "chamber",
  "sops",
  "gopass",
  "lpass",
  "heroku config",
  "vercel env",
  "netlify env",
  "fly secrets",
  "security",
  "secret-tool",
  "ssh-add",
  "ssh-keygen",
  "gpg",
  "gpg2",
  "age",
  "keytool",
  "git credential",
];

/** Finds commands that read or print credentials. */
export const recognizeSecrets: Recognizer = (command, context) => {
  const { program, args, redirects, assignments, inputWords } = command;
  const subject = nameCommand(command);
  const findings: PolicyFinding[] = [];
  const find = (because: string): void => void findings.push({ category: "secrets", subject, because });
  const { operands } = separateArguments(args, new Set(["-n", "--namespace", "--context"]));
  const first = operands[0]?.value ?? "";
  for (const { path, direction } of redirects)
    if (direction === "read") findings.push(...inspectRead(pathOf(path), subject, context));
  for (const { value } of assignments) findings.push(...inspectRead(pathOf(value), subject, context));
  const secret = [...args, ...inputWords, ...assignments.map(({ value }) => value)]
    .flatMap(({ parts }) => parts)
    .find((part) => part.kind === "variable" && secretVariables.test(part.name));
  if (secret?.kind === "variable") find(`uses the value of ${secret.name}`);
  if (program === null) return findings;
  const words = [program, ...operands.map(({ value }) => value ?? "?")].join(" ");
  const printer = printers.find((start) => words === start || words.startsWith(`${start} `));
  const isSecretObject =
    program === "kubectl" && operands.some(({ value }) => /(?:^|,)secrets?(?:$|[,/.])/i.test(value ?? ""));
  if (printer !== undefined || isSecretObject) find("can print credentials");
  if (
    isEnvironmentDump(
      program,
      args.map(({ value }) => value ?? "?"),
    )
  )
    find("prints variables, which may contain secrets");
  if (readsVariables(program, args)) find("can print variables, which may contain secrets");
  if (program === "printenv" && operands.some(({ value }) => secretVariables.test(value ?? "")))
    find("prints a secret");
  if (/^(?:[ef]?grep|rg|ag|ack)$/.test(program) && operands.some(({ value }) => searchedSecrets.test(value ?? ""))) {
    find("searches for credentials");
  }
  if (takesText.has(program) || takesText.has(`${program} ${first}`)) return findings;
  for (const word of args) {
    const path = pathOf(word);
    // `HEAD:.env`, `--file=.env` and `-f.env` name the file after other text.
    const names = new Set([path, ...[":", "=", "@"].map((mark) => path.slice(path.lastIndexOf(mark) + 1))]);
    const found = [...names].filter((name) => name !== "").flatMap((name) => inspectRead(name, subject, context));
    if (found[0] !== undefined) findings.push(found[0]);
  }
  return findings;
};

/** Reports whether a program reads variables by itself, without the shell: `jq -n env`, `awk` with `ENVIRON`, `ps eww`. */
function readsVariables(program: string, args: readonly ShellWord[]): boolean {
  const texts = args.map(({ value, text }) => value ?? text);
  if (/^(?:declare|typeset|export|readonly)$/.test(program))
    return /^-\w*p/.test(texts[0] ?? "") && texts.slice(1).some((name) => secretVariables.test(name));
  if (program === "jq") return texts.some((text) => /\$ENV\b|(?:^|[^\w.$"'/-])env\b(?!\s*:|\.json|["/-])/.test(text));
  if (/^[gmn]?awk$/.test(program)) return texts.some((text) => text.includes("ENVIRON"));
  // Without a dash, `e` shows the variables of processes.
  const first = texts.findIndex((text) => text.startsWith("-"));
  return (
    program === "ps" &&
    texts.slice(0, first === -1 ? undefined : first).some((text) => text.includes("e") && /^[a-z]+$/i.test(text))
  );
}

function isEnvironmentDump(program: string, args: readonly string[]): boolean {
  if (program === "printenv" || program === "env") return args.every((word) => /^-|=/.test(word) && word !== "-S");
  if (program === "set") return args.length === 0;
  if (program === "export" || program === "declare" || program === "typeset" || program === "readonly") {
    return args.every((word) => /^-[pxfF]+$/.test(word));
  }
  return program === "compgen";
}
