import type { KeeperRequest } from "@fairlead/keeper";
import { listUnpricedModels, type SessionState } from "@fairlead/reducer";
import { requestForNote } from "../actor/keeper-requests.ts";
import { findModelPrice, pricesAsOf } from "./find-model-price.ts";

/**
 * Records the prices of models whose cost counts towards a limit, each once per session. A later version of the list does
 * not change what was recorded, so that a replay stops at the same place.
 */
export class PriceFinder {
  readonly #sent = new Set<string>();

  /** Yields a note for each model whose price is due and was not sent over this keeper. */
  async *takeDue({ spending, ledger }: SessionState): AsyncGenerator<KeeperRequest> {
    if (ledger.over) return;
    for (const { provider, model, index } of listUnpricedModels(spending)) {
      const id = `price-${index}`;
      if (this.#sent.has(id)) continue;
      this.#sent.add(id);
      const price = await findModelPrice(provider, model);
      yield requestForNote({ type: "price", provider, model, price, asOf: pricesAsOf }, id);
    }
  }

  /** Makes all prices due again. A new keeper knows only the notes whose records are in the spool. */
  resendAll(): void {
    this.#sent.clear();
  }
}
