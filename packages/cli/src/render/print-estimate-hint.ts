import type { UsageView } from "@fairlead/api";
import type { Screen } from "../screen.ts";

/** Prints what `~` means, if there is an estimate. A daemon of an older version estimates nothing. */
export function printEstimateHint(
  screen: Pick<Screen, "printHint">,
  views: readonly { readonly estimate?: UsageView["estimate"] | undefined }[],
): void {
  const asOf = views.find(({ estimate }) => estimate != null)?.estimate?.asOf;
  if (asOf !== undefined)
    screen.printHint(`~ estimated with list prices of ${asOf}, for tokens without a reported cost`);
}
