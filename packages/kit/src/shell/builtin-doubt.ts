import type { ShellDoubt, ShellWord } from "./shell-reading.ts";
import { leadingText } from "./unwrap.ts";

/** Text that a shell would evaluate a second time. */
const evaluated = /\$\(|`|\$\{|<\(/;

/** Builtins that make the shell execute something else than the commands that are written. */
export function builtinDoubt(program: string, args: readonly ShellWord[]): ShellDoubt | null {
  const has = (option: RegExp): boolean => args.some((word) => option.test(leadingText(word)));
  if (/^(?:declare|typeset|local)$/.test(program) && has(/^-\w*n/)) {
    return { kind: "shadowed", reason: "a variable stands for another" };
  }
  switch (program) {
    case "alias":
      return args.some(({ text }) => text.includes("="))
        ? { kind: "shadowed", reason: "alias gives names another meaning" }
        : null;
    case "hash":
      return has(/^-\w*p/) ? { kind: "shadowed", reason: "hash gives a name another program" } : null;
    case "enable":
      return has(/^-\w*[fn]/) ? { kind: "shadowed", reason: "enable changes which builtins there are" } : null;
    case "mapfile":
    case "readarray":
      return has(/^-\w*C/) ? { kind: "dynamic-code", reason: `${program} -C executes text` } : null;
    case "compgen":
    case "complete":
    case "bind":
    case "fc":
      return { kind: "dynamic-code", reason: `${program} can execute text` };
    case "source":
    case ".": {
      const [file] = args.filter(({ value }) => value !== "--");
      return file !== undefined && file.value === null
        ? { kind: "dynamic-code", reason: `a computed file is executed: ${file.text}` }
        : null;
    }
    case "declare":
    case "typeset":
    case "local":
    case "readonly":
    case "export":
    case "let":
    case "unset":
    case "read":
    case "wait":
    case "test":
    case "[":
    case "printf":
      return args.some(
        ({ value }) => value !== null && evaluated.test(value) && (value.includes("[") || value.includes("=(")),
      )
        ? { kind: "dynamic-code", reason: `${program} evaluates text that is quoted` }
        : null;
    default:
      return null;
  }
}

/** Lists the names that a builtin may assign from its input or arguments. */
export function namesSetBy(program: string, args: readonly ShellWord[]): { readonly name: string }[] {
  const isSetter =
    /^(?:read|mapfile|readarray|getopts|unset|wait|let)$/.test(program) ||
    (program === "printf" && args[0]?.value?.startsWith("-v") === true);
  if (!isSetter) return [];
  return args.flatMap((word) => {
    const [name] =
      /^(?:-v)?([A-Za-z_]\w*)$/.exec(leadingText(word)) === null ? [] : [leadingText(word).replace(/^-v/, "")];
    return name === undefined ? [] : [{ name }];
  });
}
