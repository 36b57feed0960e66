import { Scope } from "@fairlead/api";
import { useEffect, useMemo, useState, type ReactNode } from "react";
import { createPageClients } from "../wire/remote-fairlead.ts";
import { peekToken, signIn, signInWithToken, type SignIn } from "../wire/sign-in.ts";
import { FairleadContext, type PageGrant, type PageServices } from "./fairlead-context.ts";
import { listenToKeys } from "./keys.ts";
import { Page } from "./page.tsx";
import { SignedOut } from "./signed-out.tsx";

/** Supposed until the service has answered: it refuses what the token does not permit, whatever the page shows. */
const unknownGrant: PageGrant = { label: "", scopes: Scope.options };

/** Signs in, and shows the page or why it cannot be used. */
export function App(): ReactNode {
  const [kept] = useState(peekToken);
  const [access, setAccess] = useState<SignIn | null>(null);
  useEffect(() => void signIn().then(setAccess), []);
  const useToken = (typed: string): void => void signInWithToken(typed).then(setAccess);
  if (access?.type === "refused" && access.kind !== "unavailable")
    return <SignedOut reason={access.reason} onToken={useToken} />;
  const token = access?.type === "accepted" ? access.token : kept;
  if (token === null)
    return access?.type === "refused" ? <SignedOut reason={access.reason} onToken={useToken} /> : null;
  return <SignedIn key={token} token={token} grant={access?.type === "accepted" ? access.grant : unknownGrant} />;
}

function SignedIn({ token, grant }: { readonly token: string; readonly grant: PageGrant }): ReactNode {
  const [clients] = useState(() => createPageClients(token));
  const services = useMemo((): PageServices => ({ ...clients, grant }), [clients, grant]);
  const { follow } = clients;
  useEffect(() => {
    const leaving = new AbortController();
    void follow(leaving.signal);
    return () => leaving.abort();
  }, [follow]);
  useEffect(listenToKeys, []);
  return (
    <FairleadContext value={services}>
      <Page />
    </FairleadContext>
  );
}
