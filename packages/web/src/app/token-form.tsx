import { useState, type FormEvent, type ReactNode } from "react";
import { Button } from "../components/button.tsx";

/** Takes a token that was issued in a terminal: the way into the page of a gateway, which issues no codes. */
export function TokenForm({ onToken }: { readonly onToken: (token: string) => void }): ReactNode {
  const [token, setToken] = useState("");
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (token.trim() !== "") onToken(token.trim());
  };
  return (
    <form className="flex items-end gap-2" onSubmit={submit}>
      <label className="flex flex-1 flex-col gap-1 text-quiet">
        Or paste a token. It is kept in this tab only.
        <input
          type="password"
          autoComplete="off"
          spellCheck={false}
          value={token}
          onChange={(event) => setToken(event.target.value)}
          className="h-9 rounded-md border border-line bg-transparent px-3 font-mono text-sm text-ink max-sm:h-11"
        />
      </label>
      <Button type="submit" className="h-9">
        Use it
      </Button>
    </form>
  );
}
