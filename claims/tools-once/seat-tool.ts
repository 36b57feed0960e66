import type { HostTool } from "@fairlead/contract";
import { defineTool } from "@fairlead/tools";
import { z } from "zod";

/** The one definition that every agent is offered. `book` makes the effect. */
export function createSeatTool(book: (key: string, seat: string) => string | Promise<string>): HostTool {
  return defineTool({
    name: "book_seat",
    description: "Books a seat in the theater. Use it when the user asks for a seat.",
    input: z.strictObject({
      row: z.int().min(1).max(40).describe("The row, counted from the stage."),
      seat: z.string().default("A").describe("The letter of the seat."),
    }),
    authorize: (_context, { row }) => (row === 13 ? "Row 13 is not sold." : null),
    run: ({ row, seat }, { key }) => book(key, `${row}${seat}`),
  });
}

/** Inputs of which the tool accepts the first. */
export const seatInputs: readonly object[] = [{ row: 7 }, { row: 13 }, { row: "last" }, { row: 7, price: 0 }];
