import { Suspense, type ReactNode } from "react";
import { Boundary } from "./boundary.tsx";
import { FailedPart } from "./failed-part.tsx";

interface PartBoundaryProps {
  /** The part as the subject of a sentence: `This view`. */
  readonly name: string;
  /** What is shown in it. Another one is tried although the one before it has failed. */
  readonly place: string;
  /** What is shown while its code is loaded. Default: nothing. */
  readonly fallback?: ReactNode;
  readonly children: ReactNode;
}

/** A part of the page that is loaded and fails alone: the frame and the other parts stay. */
export function PartBoundary({ name, place, fallback = null, children }: PartBoundaryProps): ReactNode {
  return (
    <Boundary
      place={place}
      renderFailure={(error, onRetry) => <FailedPart name={name} error={error} onRetry={onRetry} />}
    >
      <Suspense fallback={fallback}>{children}</Suspense>
    </Boundary>
  );
}
