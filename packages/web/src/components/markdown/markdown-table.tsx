import type { Tokens } from "marked";
import type { ReactNode } from "react";
import { MarkdownInline } from "./markdown-inline.tsx";

/** So many rows of a table are shown. A text may have a table of thousands. */
const maxRows = 50;

const alignments = { left: "text-left", center: "text-center", right: "text-right" } as const;

export function MarkdownTable({ table }: { readonly table: Tokens.Table }): ReactNode {
  const left = table.rows.length - maxRows;
  return (
    <div className="overflow-x-auto">
      <table className="border-collapse">
        <thead>
          <tr>
            {table.header.map(({ tokens, align }, index) => (
              <th
                key={index}
                scope="col"
                className={`border-b border-line py-1 pr-4 font-medium ${alignments[align ?? "left"]}`}
              >
                <MarkdownInline tokens={tokens} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.slice(0, maxRows).map((cells, row) => (
            <tr key={row}>
              {cells.map(({ tokens, align }, index) => (
                <td key={index} className={`border-b border-line py-1 pr-4 align-top ${alignments[align ?? "left"]}`}>
                  <MarkdownInline tokens={tokens} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {left > 0 && <p className="text-quiet">… {left} more rows</p>}
    </div>
  );
}
