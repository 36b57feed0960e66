import type { ReactNode } from "react";

/** A folder in one line. If it is too long, its beginning is left out: the end tells folders apart. */
export function FolderPath({
  folder,
  title = folder,
}: {
  readonly folder: string;
  readonly title?: string;
}): ReactNode {
  return (
    <span dir="rtl" title={title} className="block min-w-0 truncate text-left">
      <bdi dir="ltr">{folder}</bdi>
    </span>
  );
}
