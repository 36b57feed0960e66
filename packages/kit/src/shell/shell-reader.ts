import { forEachChild, parse, type Command, type ParsedScript, type SyntaxNode, type Word } from "unbash";
import { inputOf, outermost, readInputWords, readRedirects, type ShellContext } from "./shell-context.ts";
import { builtinDoubt, namesSetBy } from "./builtin-doubt.ts";
import { variableRunsPrograms } from "./environment-that-runs.ts";
import { findConstants } from "./find-constants.ts";
import { createWord, joinValues, readWord, unknownWord } from "./read-word.ts";
import { readShellOptions } from "./read-shell-options.ts";
import type { ShellAssignment, ShellCommand, ShellDoubt, ShellDoubtKind, ShellWord } from "./shell-reading.ts";
import { joinWords, leadingText, readAssignment, unwrap } from "./unwrap.ts";
import { shells } from "./wrappers.ts";

/** Texts in texts, as in `sh -c "sh -c …"`. */
const maxDepth = 8;
/** Longer values are not inserted where a variable is used. */
const maxValueLength = 200;
const evaluatedText = /\$\(|`|\$\{|<\(/;

/** Walks the syntax tree of a shell text, and those of texts in it, and collects commands and doubts. */
export class ShellReader {
  readonly commands: ShellCommand[] = [];
  readonly doubts: ShellDoubt[] = [];
  #variables = new Map<string, string>();
  readonly #functions = new Set<string>();
  readonly #reasons = new Set<string>();
  /** The functions whose bodies are read. */
  readonly #defining = new Set<string>();
  #constants: ReadonlySet<string> = new Set();
  #depth = 0;
  #computes = false;
  #quotesCode = false;
  #definesFunctions = false;

  /** Reads a whole text. */
  readText(text: string): void {
    const script = parse(text);
    this.#constants = findConstants(script);
    this.#definesFunctions = script.commands.some(({ command }) => command.type === "Function");
    for (const statement of script.commands) {
      // Assigned in the background, it would not have the value here.
      if (statement.background !== true) this.#rememberConstants(statement.command);
      this.#visit(statement, outermost);
      if (statement.command.type === "Function" && statement.background !== true) {
        this.#functions.add(statement.command.name.value);
      }
    }
    this.#checkErrors(script);
    if (this.#computes && this.#quotesCode) this.#doubt("dynamic-code", "a computation evaluates text that is quoted");
  }

  #doubt(kind: ShellDoubtKind, reason: string): void {
    const short = reason.length > 200 ? `${reason.slice(0, 200)}…` : reason;
    if (this.#reasons.has(short)) return;
    this.#reasons.add(short);
    this.doubts.push({ kind, reason: short });
  }

  #checkErrors({ errors = [] }: ParsedScript): void {
    if (errors[0] !== undefined) this.#doubt("syntax", `it cannot be parsed: ${errors[0].message}`);
  }

  /** Reads a text in the text, such as that of `sh -c`. */
  #readInner(word: ShellWord, context: ShellContext, what: string): void {
    if (word.value === null) return this.#doubt("dynamic-code", `${what} executes computed text: ${word.text}`);
    if (this.#depth >= maxDepth) return this.#doubt("dynamic-code", "texts are nested too deeply");
    // Another shell has the exported variables only, and nothing tells which are.
    const variables = this.#variables;
    this.#variables = new Map();
    this.#depth += 1;
    this.#visit(parse(word.value), { ...context, input: "inherited", inputText: null });
    this.#depth -= 1;
    this.#variables = variables;
  }

  #rememberConstants(node: SyntaxNode): void {
    if (node.type !== "Command" || node.name !== undefined) return;
    for (const part of node.prefix) {
      if (part.type !== "Assignment" || part.value.type !== "Word" || !this.#constants.has(part.name)) continue;
      const value = joinValues(this.#readWords([part.value]));
      if (value.value !== null && value.value.length <= maxValueLength) this.#variables.set(part.name, value.value);
    }
  }

  #visit(node: SyntaxNode, context: ShellContext): void {
    switch (node.type) {
      case "Script":
        this.#checkErrors(node);
        break;
      case "Command":
        return this.#visitCommand(node, context);
      case "Redirected": {
        this.#add({ ...context, isGroup: true, ...this.#readRedirects(node) });
        return this.#visitInner(node, { ...context, ...inputOf(node.redirects, context) });
      }
      case "Pipeline":
        for (const [at, command] of node.commands.entries()) {
          this.#visit(command, at === 0 ? context : { ...context, input: "pipe", inputText: null });
        }
        return;
      case "For":
      case "Select":
        this.#checkVariable(node.name.value, null);
        for (const word of node.wordlist ?? []) this.#checkWord(word);
        break;
      case "ParameterExpansion":
        if (node.operation?.type === "Transform" && node.operation.operand.value.includes("P")) {
          this.#doubt("dynamic-code", `${node.text} executes what the value contains`);
        }
        if (node.operation?.type === "Unknown" || node.parameter === "") {
          this.#doubt("other-shell", `${node.text} is not read the same by all shells`);
        }
        if (node.operation?.operator.endsWith("=") === true) this.#checkVariable(node.parameter, null);
        this.#computes ||= node.index !== undefined || node.operation?.type === "Slice";
        break;
      case "Function": {
        const isOuter = !this.#defining.has(node.name.value);
        this.#defining.add(node.name.value);
        this.#visitInner(node, context);
        if (isOuter) this.#defining.delete(node.name.value);
        return;
      }
      case "ArithmeticWord":
        if (/['"\\]/.test(node.value) && evaluatedText.test(node.value)) {
          this.#doubt("dynamic-code", `a computation evaluates text: ${node.value}`);
        }
        break;
      case "Coproc":
        // Bash 5.2 prints and parses a substitution again, and then takes the name COPROC for a program.
        if (node.name === undefined)
          this.#doubt("dynamic-code", "coproc is not executed the same by all versions of bash");
        break;
      case "ArithmeticExpansion":
        if (!hasPairedParentheses(node.text)) this.#doubt("syntax", `${node.text} is a computation or a substitution`);
        this.#computes = true;
        break;
      case "ArithmeticCommand":
      case "ArithmeticFor":
        this.#computes = true;
        break;
      case "TestUnary":
      case "TestBinary":
        this.#computes ||= /^-(?:eq|ne|lt|le|gt|ge|v|R)$/.test(node.operator);
        break;
      case "Word":
        this.#noteQuotedCode(this.#readWords([node]));
        break;
      default:
    }
    this.#visitInner(node, context);
  }

  #visitInner(node: SyntaxNode, context: ShellContext): void {
    forEachChild(node, (child) => this.#visit(child, context));
  }

  #noteQuotedCode(words: readonly ShellWord[]): void {
    this.#quotesCode ||= words.some(({ parts }) =>
      parts.some((part) => part.kind === "text" && part.value.includes("[") && evaluatedText.test(part.value)),
    );
  }

  #visitCommand(node: Command, context: ShellContext): void {
    // Substitutions in words, assignments and redirections run before the command.
    this.#visitInner(node, { ...context, wrappers: [] });
    const assignments = node.prefix.flatMap((part) => (part.type === "Assignment" ? [this.#readAssigned(part)] : []));
    const args = node.args.flatMap((word) =>
      word.type === "Word" ? this.#readWords([word]) : [this.#assignmentWord(this.#readAssigned(word))],
    );
    for (const { name, value } of assignments) this.#checkVariable(name, value.value);
    for (const word of node.args) if (word.type === "Word") this.#checkWord(word);
    const surroundings = { ...context, ...inputOf(node.redirects, context) };
    const opened = this.#readRedirects(node);
    if (node.name === undefined) return this.#add({ ...surroundings, assignments, ...opened });
    this.#checkWord(node.name);
    const names = this.#readWords([node.name]);
    this.#run([...names, ...args], surroundings, { assignments, ...opened });
  }

  #readRedirects({ redirects }: Pick<Command, "redirects">): Pick<ShellCommand, "redirects" | "inputWords"> {
    return {
      redirects: readRedirects(redirects, this.#variables),
      inputWords: readInputWords(redirects, this.#variables),
    };
  }

  #assignmentWord({ name, value }: ShellAssignment): ShellWord {
    return createWord(`${name}=${value.text}`, [{ kind: "text", value: `${name}=` }, ...value.parts]);
  }

  #readAssigned(node: Extract<SyntaxNode, { type: "Assignment" }>): ShellAssignment {
    const words = this.#readWords(node.value.type === "Word" ? [node.value] : [...node.value.elements]);
    const value = node.append === true ? unknownWord(node.text) : joinValues(words);
    // The computed part may become a substitution, which a computation evaluates as the index of an array.
    this.#quotesCode ||= value.value === null && /\w\[/.test(leadingText(value));
    return { name: node.name, value };
  }

  #readWords(words: readonly Word[]): ShellWord[] {
    return words.flatMap((word) => readWord(word, this.#variables));
  }

  #checkVariable(name: string, value: string | null): void {
    if (variableRunsPrograms(name, value)) this.#doubt("environment", `${name} makes programs run others`);
  }

  /** Finds forms that other shells execute. */
  #checkWord(word: Word): void {
    if (/^=[\w./]/.test(word.text)) this.#doubt("other-shell", `${word.text} is not read the same by all shells`);
    for (const part of word.parts ?? []) {
      if (part.type !== "ExtendedGlob") continue;
      this.#doubt("other-shell", `${part.text} is not read the same by all shells`);
    }
  }

  #add(command: Partial<ShellCommand> & Pick<ShellCommand, "input" | "wrappers">): void {
    const {
      program = null,
      path = null,
      isFunction = false,
      isGroup = false,
      args = [],
      assignments = [],
      redirects = [],
      inputWords = [],
    } = command;
    const { input, wrappers } = command;
    const opened = { redirects, input, inputWords };
    this.commands.push({ program, path, isFunction, isGroup, args, assignments, ...opened, wrappers });
  }

  /** Adds a command, and what it runs in turn. */
  #run(
    words: readonly ShellWord[],
    context: ShellContext,
    rest: Partial<Pick<ShellCommand, "assignments" | "redirects" | "inputWords">> = {},
  ): void {
    const [name, ...args] = words;
    if (name === undefined) return;
    const path = name.value;
    if (path === null) this.#doubt("dynamic-program", `the name of a program is computed: ${name.text}`);
    const program = path === null ? null : (path.split("/").at(-1) ?? path);
    if (path !== null && this.#defining.has(path)) this.#doubt("shadowed", `the function ${path} calls itself`);
    const isFunction = path !== null && context.wrappers.length === 0 && this.#functions.has(path);
    this.#add({ ...context, program, path, isFunction, args, ...rest });
    if (program === null || isFunction) return;
    const inner = { ...context, wrappers: [...context.wrappers, program] };
    for (const { name: variable } of namesSetBy(program, args)) this.#checkVariable(variable, null);
    for (const assignment of args.map(readAssignment)) {
      if (assignment !== null && /^(?:export|declare|typeset|local|readonly)$/.test(program)) {
        this.#checkVariable(assignment.name, assignment.value.value);
      }
    }
    const doubt = builtinDoubt(program, args);
    if (doubt !== null) this.#doubt(doubt.kind, doubt.reason);
    if (program === "unset" && this.#definesFunctions) this.#doubt("shadowed", "unset can remove a function");
    if (program === "let") this.#computes = true;
    if (program === "eval" && args.length > 0) this.#readInner(joinWords(args), inner, "eval");
    if (program === "trap") this.#readTrap(args, inner);
    if (/^(?:source|\.)$/.test(program) && /^\/(?:dev|proc)\//.test(args[0]?.value ?? ""))
      this.#readInput(program, inner);
    if (shells.has(program)) this.#runShell(program, args, inner);
    const wrapped = unwrap(program, args);
    if (wrapped.doubt !== null) this.#doubt("wrapper", wrapped.doubt);
    for (const assignment of wrapped.assignments) this.#checkVariable(assignment.name, assignment.value.value);
    for (const text of wrapped.texts) this.#readInner(text, inner, program);
    for (const command of wrapped.commands) {
      if (this.#depth + inner.wrappers.length > 4 * maxDepth) this.#doubt("wrapper", "commands are nested too deeply");
      else this.#run(command, inner, { assignments: wrapped.assignments });
    }
  }

  #readTrap(args: readonly ShellWord[], context: ShellContext): void {
    const [first] = args.filter(({ value }) => value !== "--");
    if (first === undefined || first.value?.startsWith("-") === true) return;
    this.#readInner(first, context, "trap");
  }

  #runShell(program: string, args: readonly ShellWord[], context: ShellContext): void {
    const { text, script, doubt } = readShellOptions(args);
    if (doubt !== null) this.#doubt("dynamic-code", `${program}: ${doubt}`);
    if (/^(?:zsh|fish|t?csh|m?ksh)$/.test(program)) this.#doubt("other-shell", `${program} is not read as bash`);
    if (text !== null) return this.#readInner(text, context, program);
    if (script !== null) {
      if (script.value === null) this.#doubt("dynamic-code", `${program} executes a computed file: ${script.text}`);
    } else if (doubt === null && !args.some(({ value }) => value === "--version" || value === "--help")) {
      this.#readInput(program, context);
    }
  }

  #readInput(program: string, context: ShellContext): void {
    if (context.input !== "text" || context.inputText === null) {
      return this.#doubt("piped-code", `${program} executes its input`);
    }
    this.#readInner({ text: "", value: context.inputText, parts: [] }, context, program);
  }
}

/** Bash takes `$((` for a computation only if its parentheses are paired. */
function hasPairedParentheses(text: string): boolean {
  return text.split("(").length === text.split(")").length;
}
