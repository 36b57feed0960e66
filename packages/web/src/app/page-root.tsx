import type { GrantView } from "@fairlead/api";
import { useEffect, useMemo, useState, type ReactNode } from "react";
import { takePageClients } from "../wire/early-clients.ts";
import { signInUntilAnswered } from "../wire/sign-in-until-answered.ts";
import { peekGrant, peekToken, signInWithToken, type SignIn } from "../wire/sign-in.ts";
import { FairleadContext, type PageGrant, type PageServices } from "./fairlead-context.ts";
import { listenToKeys } from "./keys.ts";
import { Page } from "./page.tsx";
import { SignedOut } from "./signed-out.tsx";

/** Until the service has said what the token permits, no control is shown that it might refuse. */
const unknownGrant: PageGrant = { label: "", scopes: [], isKnown: false };

/** Signs in, and shows the page or why it cannot be used. */
export function PageRoot(): ReactNode {
  const [kept] = useState(peekToken);
  const [access, setAccess] = useState<SignIn | null>(null);
  const [keptGrant] = useState(() => (kept === null ? null : peekGrant(kept)));
  useEffect(() => {
    const leaving = new AbortController();
    void showEach(signInUntilAnswered(leaving.signal), setAccess);
    return () => leaving.abort();
  }, []);
  const useToken = (typed: string): void => void signInWithToken(typed).then(setAccess);
  if (access?.type === "refused" && access.kind !== "unavailable")
    return <SignedOut reason={access.reason} onToken={useToken} />;
  const token = access?.type === "accepted" ? access.token : kept;
  if (token === null)
    return access?.type === "refused" ? <SignedOut reason={access.reason} onToken={useToken} /> : null;
  const grant = access?.type === "accepted" ? access.grant : keptGrant;
  return <SignedIn key={token} token={token} grant={grant} />;
}

async function showEach(results: AsyncIterable<SignIn>, show: (result: SignIn) => void): Promise<void> {
  for await (const result of results) show(result);
}

interface SignedInProps {
  readonly token: string;
  /** Null until the service has said what the token permits. */
  readonly grant: GrantView | null;
}

function SignedIn({ token, grant }: SignedInProps): ReactNode {
  const [clients] = useState(() => takePageClients(token));
  const services = useMemo(
    (): PageServices => ({ ...clients, grant: grant === null ? unknownGrant : { ...grant, isKnown: true } }),
    [clients, grant],
  );
  const { follow } = clients;
  useEffect(follow, [follow]);
  useEffect(listenToKeys, []);
  return (
    <FairleadContext value={services}>
      <Page />
    </FairleadContext>
  );
}
