import { createRoot } from "react-dom/client";
import { PageRoot } from "./app/page-root.tsx";
import { Boundary } from "./app/boundary/boundary.tsx";
import { FailedPage } from "./app/boundary/failed-page.tsx";

/** Shows the page. */
export function start(): void {
  const root = document.getElementById("root");
  if (root === null) return;
  createRoot(root).render(
    <Boundary place="" renderFailure={(error) => <FailedPage error={error} />}>
      <PageRoot />
    </Boundary>,
  );
}
