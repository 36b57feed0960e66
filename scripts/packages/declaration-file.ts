import { readFileSync } from "node:fs";
import { parseSync, visitorKeys } from "oxc-parser";

/** A name in another module. */
export interface ImportedName {
  readonly specifier: string;
  readonly name: string;
}

/** A top-level declaration of a `.d.ts` file. A constant and a type may share a name, and a function may be overloaded. */
export interface Declaration {
  readonly name: string;
  /** The declaration without comments and without `export` and `declare`. */
  readonly text: string;
  /** Names of the same file that it refers to. */
  readonly references: ReadonlySet<string>;
  /** Names that it refers to by the module that has them, without an import of their own. */
  readonly importTypes: readonly ImportedName[];
}

/** The parts of a `.d.ts` file that tell its exports and what those refer to. */
export interface DeclarationFile {
  readonly declarations: readonly Declaration[];
  /** Imported names by their local name. */
  readonly imports: ReadonlyMap<string, ImportedName>;
  /** What each exported name is: a local name, or a name of another module. */
  readonly exports: ReadonlyMap<string, string | ImportedName>;
}

interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

/** Reads a `.d.ts` file as the compiler writes it. Throws on syntax that no package here uses. */
export function readDeclarationFile(file: string): DeclarationFile {
  const source = readFileSync(file, "utf8");
  const { program, comments, errors } = parseSync(file, source, { lang: "dts" });
  if (errors.length > 0) throw new Error(`${file} cannot be parsed: ${errors[0]?.message}`);
  const declarations: Declaration[] = [];
  const imports = new Map<string, ImportedName>();
  const exports = new Map<string, string | ImportedName>();

  for (const statement of program.body) {
    if (statement.type === "ImportDeclaration") {
      const specifier = statement.source.value;
      for (const { local, ...imported } of statement.specifiers) {
        const name = imported.type === "ImportSpecifier" ? nameOf(imported.imported) : "*";
        imports.set(local.name, { specifier, name });
      }
    } else if (statement.type === "ExportNamedDeclaration" && statement.declaration === null) {
      for (const { local, exported } of statement.specifiers) {
        const specifier = statement.source?.value;
        exports.set(nameOf(exported), specifier === undefined ? nameOf(local) : { specifier, name: nameOf(local) });
      }
    } else if (statement.type === "ExportNamedDeclaration") {
      for (const name of addDeclaration(statement.declaration as unknown as SyntaxNode)) exports.set(name, name);
    } else if (statement.type.startsWith("Export")) {
      throw new Error(`${file}: ${statement.type} is not supported. Export names one by one.`);
    } else addDeclaration(statement as unknown as SyntaxNode);
  }
  return { declarations, imports, exports };

  function addDeclaration(node: SyntaxNode): string[] {
    const names = declaredNames(node);
    const references = new Set<string>();
    const importTypes: ImportedName[] = [];
    collectReferences(node, references, importTypes);
    const text = withoutComments(node.start, node.end).replace(/^declare /, "");
    for (const name of names) declarations.push({ name, text, references, importTypes });
    return names;
  }

  function withoutComments(start: number, end: number): string {
    let text = "";
    let position = start;
    for (const comment of comments) {
      if (comment.start < start || comment.end > end) continue;
      text += source.slice(position, comment.start);
      position = comment.end;
    }
    return (text + source.slice(position, end)).replaceAll(/[ \t]+$/gm, "").replaceAll(/^\n/gm, "");
  }
}

function declaredNames(node: SyntaxNode): string[] {
  if (node.type === "VariableDeclaration")
    return (node["declarations"] as SyntaxNode[]).map(({ id }) => nameOf(id as SyntaxNode));
  return node["id"] == null ? [] : [nameOf(node["id"] as SyntaxNode)];
}

/** The children that name a type or a value, by the kind of their parent. */
const referringKeys: Readonly<Record<string, string>> = {
  TSTypeReference: "typeName",
  TSTypeQuery: "exprName",
  TSInterfaceHeritage: "expression",
  TSClassImplements: "expression",
  ClassDeclaration: "superClass",
};

function collectReferences(node: SyntaxNode, references: Set<string>, importTypes: ImportedName[]): void {
  const key = referringKeys[node.type];
  let name = key === undefined ? null : (node[key] as SyntaxNode | null);
  while (name?.type === "TSQualifiedName") name = name["left"] as SyntaxNode;
  if (name?.type === "Identifier") references.add(nameOf(name));
  if (node.type === "TSImportType") {
    const { source, qualifier } = node as unknown as { source: { value: string }; qualifier: SyntaxNode | null };
    let first = qualifier;
    while (first?.type === "TSQualifiedName") first = first["left"] as SyntaxNode;
    if (first !== null) importTypes.push({ specifier: source.value, name: nameOf(first) });
  }
  for (const childKey of visitorKeys[node.type] ?? []) {
    for (const child of [node[childKey]].flat() as (SyntaxNode | null | undefined)[])
      if (child != null) collectReferences(child, references, importTypes);
  }
}

function nameOf(node: { readonly type: string; readonly name?: unknown; readonly value?: unknown }): string {
  return String(node.type === "Literal" ? node.value : node.name);
}
