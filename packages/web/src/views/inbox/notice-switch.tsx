import { useState, type ReactNode } from "react";
import { Button } from "../../components/button.tsx";

/** Asks for the permission to notify, on a click only. Nothing is shown once the person has decided. */
export function NoticeSwitch(): ReactNode {
  const [permission, setPermission] = useState(() =>
    "Notification" in globalThis ? Notification.permission : "unsupported",
  );
  if (permission !== "default") return null;
  return (
    <p className="flex flex-wrap items-center gap-3 text-base text-quiet">
      The browser can notify you when a session starts to wait, while a tab of this page is open.
      <Button onClick={() => void Notification.requestPermission().then(setPermission)}>Notify me</Button>
    </p>
  );
}
