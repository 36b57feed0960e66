import { useState, type ReactNode } from "react";
import { Modal } from "../../components/modal.tsx";
import { hasSingleKeys, setSingleKeys } from "../keys.ts";

const rows = [
  ["Ctrl K", "search sessions and actions"],
  ["j  k  ↵", "move in a list, open; in the inbox, ↵ leaves a closed card"],
  ["g s  g i  g u  g a", "go to sessions, inbox, usage, agents"],
  ["/", "filter the list, or find a text in the session"],
  ["y  n  e  s", "allow once, deny, edit, deny and stop: the request that has the keys, after half a second"],
  ["t", "take the session over"],
  ["?", "this list"],
] as const;

/** Lists the keys of the page. */
export function KeyHelp({ onClose }: { readonly onClose: () => void }): ReactNode {
  const [isOn, setIsOn] = useState(hasSingleKeys);
  return (
    <Modal label="Keys" onClose={onClose}>
      <div className="flex flex-col gap-3 p-4">
        <h2 className="font-bold">Keys</h2>
        <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-2">
          {rows.map(([keys, what]) => (
            <div key={keys} className="contents">
              <dt className="font-mono text-sm whitespace-pre">{keys}</dt>
              <dd className="text-quiet">{what}</dd>
            </div>
          ))}
        </dl>
        <label className="flex min-h-8 items-center gap-2 max-sm:min-h-11">
          <input
            type="checkbox"
            checked={isOn}
            onChange={(event) => {
              setSingleKeys(event.target.checked);
              setIsOn(event.target.checked);
            }}
          />
          Single keys act in this browser
        </label>
      </div>
    </Modal>
  );
}
