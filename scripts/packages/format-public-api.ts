import { dirname, join } from "node:path";
import { readDeclarationFile, type Declaration, type DeclarationFile, type ImportedName } from "./declaration-file.ts";
import type { WorkspacePackage } from "./workspace-package.ts";

/**
 * Formats the public API of a package from its compiled declarations: what each entry point exports, then the types that
 * are not exported but are part of the exported ones, because a change of them changes the API too.
 */
export function formatPublicApi({ folder, name, exports }: WorkspacePackage): string {
  const files = new Map<string, DeclarationFile>();
  const exportedDeclarations = new Set<Declaration>();
  const sections = Object.entries(exports).map(([path, { built }]) => {
    const entryFile = join(folder, built.replace(/\.js$/, ".d.ts"));
    const texts = [...read(entryFile).exports.keys()].toSorted(compareText).flatMap((exportedName) => {
      const found = resolveExport(entryFile, exportedName);
      if (typeof found === "string") return [`export ${exportedName} from ${found};`];
      for (const declaration of found.declarations) exportedDeclarations.add(declaration);
      const alias = found.name === exportedName ? "" : `// as ${exportedName}\n`;
      return found.declarations.map(({ text }) => `${alias}${text}`);
    });
    return [`# ${name}${path.slice(1)}`, ...(texts.length === 0 ? ["A program. It exports nothing."] : texts)];
  });
  const hidden = findHiddenDeclarations();
  if (hidden.length > 0) sections.push(["# not exported", ...hidden]);
  return `${sections.map((texts) => texts.join("\n\n")).join("\n\n")}\n`;

  function read(file: string): DeclarationFile {
    const known = files.get(file) ?? readDeclarationFile(file);
    files.set(file, known);
    return known;
  }

  /** Finds the declarations of an exported name, or the package that it comes from. */
  function resolveExport(file: string, exportedName: string): { name: string; declarations: Declaration[] } | string {
    const target = read(file).exports.get(exportedName);
    if (target === undefined) throw new Error(`${file} does not export ${exportedName}.`);
    return typeof target === "string" ? resolveLocal(file, target) : resolveImport(file, target);
  }

  function resolveLocal(file: string, localName: string): { name: string; declarations: Declaration[] } | string {
    const { declarations, imports } = read(file);
    const imported = imports.get(localName);
    if (imported !== undefined) return resolveImport(file, imported);
    return { name: localName, declarations: declarations.filter((declaration) => declaration.name === localName) };
  }

  function resolveImport(file: string, imported: ImportedName): { name: string; declarations: Declaration[] } | string {
    if (!imported.specifier.startsWith(".")) return imported.specifier;
    return resolveExport(join(dirname(file), imported.specifier.replace(/\.[jt]s$/, ".d.ts")), imported.name);
  }

  function findHiddenDeclarations(): string[] {
    const hiddenDeclarations = new Set<Declaration>();
    const queue = [...exportedDeclarations];
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      for (const declaration of listReferenced(next)) {
        if (exportedDeclarations.has(declaration) || hiddenDeclarations.has(declaration)) continue;
        hiddenDeclarations.add(declaration);
        queue.push(declaration);
      }
    }
    return [...hiddenDeclarations]
      .toSorted((one, other) => compareText(one.name, other.name) || compareText(one.text, other.text))
      .map(({ text }) => text);
  }

  function listReferenced(declaration: Declaration): Declaration[] {
    const [file] = [...files].find(([, { declarations }]) => declarations.includes(declaration)) ?? [];
    if (file === undefined) return [];
    const found = [
      ...[...declaration.references].map((reference) => resolveLocal(file, reference)),
      ...declaration.importTypes.map((imported) => resolveImport(file, imported)),
    ];
    return found.flatMap((target) => (typeof target === "string" ? [] : target.declarations));
  }
}

function compareText(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}
