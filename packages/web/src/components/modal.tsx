import { useEffect, useRef, type ReactNode } from "react";

interface ModalProps {
  readonly label: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** A dialog over the page. The browser keeps the focus inside, closes it with Esc, and gives the focus back. */
export function Modal({ label, onClose, children }: ModalProps): ReactNode {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- Esc closes it, as the click beside it does
    <dialog
      ref={dialog}
      aria-label={label}
      onClose={onClose}
      onClick={(event) => event.target === dialog.current && dialog.current.close()}
      className="m-auto mt-[12vh] max-h-[70vh] w-full max-w-140 rounded-lg border border-line bg-surface text-ink backdrop:bg-black/40"
    >
      {children}
    </dialog>
  );
}
