import { parseReferencePage, type ReferenceSection } from "./reference-page.ts";
import type { InventoryItem } from "./inventory.ts";

/** Finds the items that their page of the reference does not name. `readPage` returns the text of a page. */
export function findUndocumented(items: readonly InventoryItem[], readPage: (page: string) => string): InventoryItem[] {
  const pages = new Map<string, readonly ReferenceSection[]>();
  const sectionsOf = (page: string): readonly ReferenceSection[] => {
    const known = pages.get(page) ?? parseReferencePage(readPage(page));
    pages.set(page, known);
    return known;
  };
  return items.filter((item) => !isDocumented(item, sectionsOf(item.page)));
}

function isDocumented(
  { kind, name, section, fields = [] }: InventoryItem,
  sections: readonly ReferenceSection[],
): boolean {
  const candidates = section === null ? sections : sections.filter(({ titles }) => titles.includes(section));
  // A command is documented by the section that has its name, and the others by a row of a table.
  if (kind === "command") return candidates.length > 0;
  const rows = candidates.flatMap((candidate) => candidate.rows);
  return rows.some(({ subjects, names }) => subjects.has(name) && fields.every((field) => names.has(field)));
}
