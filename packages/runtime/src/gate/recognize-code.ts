import { leadingText, type ShellCommand, type ShellWord } from "@fairlead/kit";
import { nameCommand, type PolicyFinding, type GateContext, type Recognizer } from "./policy-finding.ts";
import { isHarmlessAwk, isHarmlessCode, isHarmlessSed } from "./harmless-text.ts";
import { inspectWrite } from "./inspect-path.ts";
import { locatePath, pathOf } from "./locate-path.ts";
import { findOption, separateArguments } from "./separate-arguments.ts";

/** Interpreters: options with code, and options that take a value. */
const interpreters: Readonly<Record<string, { readonly code: string; readonly valued: string }>> = {
  node: {
    code: "-e --eval -p --print -pe",
    valued: "-C --conditions --test-reporter --test-name-pattern --stack-trace-limit --input-type",
  },
  python: { code: "-c", valued: "-W -m" },
  ruby: { code: "-e", valued: "" },
  php: { code: "-r -B -R -E", valued: "" },
  tsx: { code: "-e --eval -p --print", valued: "--tsconfig" },
  "ts-node": { code: "-e --eval -p --print", valued: "-P --project -O" },
  bash: { code: "", valued: "-o -O" },
  sh: { code: "", valued: "-o" },
  dash: { code: "", valued: "-o" },
};
const vettedModules =
  /^(?:pytest|unittest|doctest|mypy|black|isort|flake8|ruff|pylint|pyright|venv|json\.tool|compileall|py_compile|coverage|tox|nox|build|pydoc|tokenize|ast|dis|platform|site|sysconfig|bandit|behave|sphinx|mkdocs|pip)$/;

/** Finds code that is not a file of the workspace, and texts with which sed and awk run programs. */
export const recognizeCode: Recognizer = (command, context) => {
  const { program, args } = command;
  if (program === null) return [];
  if (/^g?sed$/.test(program)) return inspectSed(command, context);
  if (/^[gmn]?awk$/.test(program)) return inspectAwk(command);
  if (program === "source" || program === ".") return inspectFile(args[0], command, context, "reads commands from");
  if (program === "xxd" || program === "uniq") return [];
  const name = program.startsWith("python") || program === "pypy3" ? "python" : program === "nodejs" ? "node" : program;
  const interpreter = Object.hasOwn(interpreters, name) ? interpreters[name] : undefined;
  return interpreter === undefined ? [] : inspectInterpreter(command, context, interpreter);
};

function problem(command: ShellCommand, because: string): PolicyFinding[] {
  return [{ category: "unvetted", subject: nameCommand(command), because }];
}

function inspectInterpreter(
  command: ShellCommand,
  context: GateContext,
  interpreter: { readonly code: string; readonly valued: string },
): PolicyFinding[] {
  const { args, program } = command;
  const codes = interpreter.code.split(" ").filter((option) => option !== "");
  const codeAt = args.findIndex((word) => codes.some((option) => isOption(leadingText(word), option)));
  const { operands } = separateArguments(args, new Set(interpreter.valued.split(" ")));
  const firstOperand = args.findIndex((word) => word === operands[0]);
  if (codeAt !== -1 && (firstOperand === -1 || codeAt < firstOperand || operands[0] === args[codeAt + 1])) {
    const text = leadingText(args[codeAt] as ShellWord);
    const attached = text.startsWith("--") ? /=([\s\S]*)$/.exec(text)?.[1] : undefined;
    const code = attached ?? args[codeAt + 1]?.value ?? null;
    return code !== null && isHarmlessCode(code) ? [] : problem(command, "executes code that is given as an argument");
  }
  const moduleAt = args.findIndex((word) => leadingText(word).startsWith("-m"));
  if (program?.startsWith("python") === true && moduleAt !== -1 && (firstOperand === -1 || moduleAt < firstOperand)) {
    const module = /^-m(.+)$/.exec(leadingText(args[moduleAt] as ShellWord))?.[1] ?? args[moduleAt + 1]?.value ?? "";
    return vettedModules.test(module) ? [] : problem(command, `runs the module ${module || "of a computed name"}`);
  }
  // A shell's text was read as commands.
  if (/^(?:ba|da)?sh$/.test(program ?? "") && findOption(args, ["-c"]) !== null) return [];
  const [script] = operands;
  if (script?.value === "inspect" && program === "node") return problem(command, "listens for a debugger");
  if (script !== undefined && script.value !== "-") return inspectFile(script, command, context, "executes");
  if (findOption(args, ["--version", "-v", "-V", "--help", "-h", "--test", "--check"]) !== null) return [];
  return problem(command, command.input === "inherited" ? "takes commands" : "executes its input");
}

function isOption(text: string, option: string): boolean {
  if (option.startsWith("--")) return text === option || text.startsWith(`${option}=`);
  return (
    text === option ||
    (/^-[a-zA-Z]+$/.test(text) && text.endsWith(option.slice(1)) && option.length === 2 && text.length < 4)
  );
}

function inspectFile(
  word: ShellWord | undefined,
  command: ShellCommand,
  context: GateContext,
  does: string,
): PolicyFinding[] {
  if (word === undefined) return [];
  const location = locatePath(pathOf(word), context.workspace);
  if (location === "workspace" && !context.leavesWorkspace) return [];
  return problem(
    command,
    location === "unknown" ? `${does} a computed file` : `${does} ${word.text}, which is not in the workspace`,
  );
}

function inspectSed(command: ShellCommand, context: GateContext): PolicyFinding[] {
  const { args } = command;
  const { operands, options } = separateArguments(args, new Set(["-e", "--expression", "-l", "--line-length"]));
  const scripts = options
    .filter(({ name }) => name === "-e" || name.startsWith("--exp"))
    .map(({ value }) => value?.value?.replace(/^--exp\w*=/, "") ?? null);
  const grouped = args.map(({ value }) => value).filter((value) => /^-[a-zA-Z]*e.+|^-[a-df-zA-Z]+e$/.test(value ?? ""));
  if (grouped.length > 0) return problem(command, "has a script that is not understood");
  const files = scripts.length === 0 ? operands.slice(1) : operands;
  const all = scripts.length === 0 ? [operands[0]?.value ?? null] : [scripts.join("\n")];
  if (scripts.includes(null) || all.some((script) => script === null))
    return problem(command, "has a script that is computed");
  const findings = all.every((script) => script === null || isHarmlessSed(script))
    ? []
    : problem(command, "has a script that can run programs or write files");
  const writes = args.some((word) => /^-[a-zA-Z]*i|^--in/.test(leadingText(word)));
  return writes
    ? [...findings, ...files.flatMap((word) => inspectWrite(pathOf(word), nameCommand(command), context))]
    : findings;
}

function inspectAwk(command: ShellCommand): PolicyFinding[] {
  const { operands } = separateArguments(command.args, new Set(["-F", "-v", "--field-separator", "--assign"]));
  const code = operands[0]?.value ?? null;
  return code !== null && isHarmlessAwk(code)
    ? []
    : problem(command, "has a program that can run others or write files");
}
