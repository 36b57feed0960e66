import type { Adapter } from "@fairlead/contract";
import { SpoolReader } from "@fairlead/keeper";
import type { FoldShelf, KeptFold } from "./kept-fold.ts";

/**
 * The kept fold, if it is to be used: when it is of this version of the adapter, or when the records that it was made of
 * are gone, so that nothing else is left. Otherwise the whole spool is folded, by the adapter as it is today.
 */
export function usableFold(shelf: FoldShelf, spool: string, { manifest }: Adapter): KeptFold | null {
  const kept = shelf.load();
  if (kept === null || kept.adapterVersion === manifest.version) return kept;
  return new SpoolReader(spool).firstSeq > 1 ? kept : null;
}
