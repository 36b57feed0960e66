import { leadingText, type ShellCommand, type ShellWord } from "@fairlead/kit";
import { nameCommand, type PolicyFinding, type GateContext, type Recognizer } from "./policy-finding.ts";
import { isHarmlessAwk, isHarmlessCode, isHarmlessSed } from "./harmless-text.ts";
import { inspectWrite } from "./inspect-path.ts";
import { locatePath, pathOf } from "./locate-path.ts";
import { findOption, separateArguments } from "./separate-arguments.ts";

/** The options of an interpreter. Letters are options with one dash, which can be written in groups: `-Bc`. */
interface Interpreter {
  /** Letters whose value is code: the rest of the group, or the next argument. */
  readonly code: string;
  readonly longCode?: string;
  /** Letters with another value, and those whose value is only the rest of the group. */
  readonly valued: string;
  readonly attached?: string;
  readonly longValued?: string;
}

const interpreters: Readonly<Record<string, Interpreter>> = {
  node: {
    code: "ep",
    longCode: "--eval --print",
    valued: "C",
    longValued: "--conditions --test-reporter --test-name-pattern --stack-trace-limit --input-type",
  },
  python: { code: "c", valued: "WX", longValued: "--check-hash-based-pycs" },
  ruby: { code: "e", valued: "CEIr", attached: "WxTK" },
  php: { code: "rBRE", valued: "cdz" },
  tsx: { code: "ep", longCode: "--eval --print", valued: "", longValued: "--tsconfig" },
  "ts-node": { code: "ep", longCode: "--eval --print", valued: "PO", longValued: "--project" },
  bash: { code: "", valued: "oO" },
  sh: { code: "", valued: "o" },
  dash: { code: "", valued: "o" },
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

function inspectInterpreter(command: ShellCommand, context: GateContext, interpreter: Interpreter): PolicyFinding[] {
  const { args, program } = command;
  const isPython = /^(?:python|pypy)/.test(program ?? "");
  const { codes, module, isHidden, script } = readOptions(args, interpreter, isPython);
  if (codes.length > 0) {
    const isHarmless = codes.every((code) => code !== null && isHarmlessCode(code));
    return isHarmless ? [] : problem(command, "executes code that is given as an argument");
  }
  if (module !== undefined)
    return vettedModules.test(module) && !(module === "pip" && isHidden === true)
      ? []
      : problem(command, `runs the module ${module || "of a computed name"}`);
  // A shell's text was read as commands.
  if (/^(?:ba|da)?sh$/.test(program ?? "") && findOption(args, ["-c"]) !== null) return [];
  if (script?.value === "inspect" && program === "node") return problem(command, "listens for a debugger");
  if (script !== undefined && script.value !== "-") return inspectFile(script, command, context, "executes");
  if (findOption(args, ["--version", "-v", "-V", "--help", "-h", "--test", "--check"]) !== null) return [];
  return problem(command, command.input === "inherited" ? "takes commands" : "executes its input");
}

interface InterpreterArguments {
  /** Null for code that is computed. */
  readonly codes: readonly (string | null)[];
  /** Empty if its name is computed. */
  readonly module?: string;
  /** Set if it does not follow the first `-m`, where the recognizer of packages looks. */
  readonly isHidden?: boolean;
  readonly script?: ShellWord;
}

/** Reads the options of an interpreter up to its script. Python also ends them after code and after `-m`. */
function readOptions(args: readonly ShellWord[], interpreter: Interpreter, isPython: boolean): InterpreterArguments {
  const codes: (string | null)[] = [];
  const longCode = interpreter.longCode?.split(" ") ?? [];
  const longValued = interpreter.longValued?.split(" ") ?? [];
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at] as ShellWord;
    const text = leadingText(word);
    const next = args[at + 1];
    if (text === "--") return { codes, ...(next !== undefined && { script: next }) };
    if (!text.startsWith("-") || text === "-") return { codes, script: word };
    if (text.startsWith("--")) {
      const [name = text] = text.split("=", 1);
      const isAttached = name !== text;
      if (longCode.includes(name))
        codes.push(isAttached ? (word.value?.slice(name.length + 1) ?? null) : (next?.value ?? null));
      if (!isAttached && (longCode.includes(name) || longValued.includes(name))) at += 1;
      continue;
    }
    const { letter, value } = readGroup(
      word,
      isPython ? { ...interpreter, valued: `${interpreter.valued}m` } : interpreter,
    );
    if (letter === null) continue;
    const given = value === "" ? (next?.value ?? null) : value;
    if (isPython && letter === "m")
      return { codes, module: given ?? "", isHidden: args.find(({ value: other }) => other === "-m") !== word };
    if (letter === "?" || interpreter.code.includes(letter)) codes.push(given);
    if (isPython && codes.length > 0) break;
    if (value === "" && interpreter.attached?.includes(letter) !== true) at += 1;
  }
  return { codes };
}

/** Finds the first letter of a group that has a value, and the rest of the group. The letter is `?` if it is computed. */
function readGroup(
  word: ShellWord,
  { code, valued, attached = "" }: Interpreter,
): { letter: string | null; value: string | null } {
  // Node's only group.
  const text = leadingText(word) === "-pe" && code === "ep" ? "-p" : leadingText(word);
  const letters = text.slice(1).split("");
  const at = letters.findIndex((letter) => `${code}${valued}${attached}`.includes(letter));
  if (at === -1) return word.value === null ? { letter: "?", value: null } : { letter: null, value: null };
  return { letter: letters[at] ?? null, value: word.value === null ? null : letters.slice(at + 1).join("") };
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
