import { Component, type ReactNode } from "react";
import { prepareRetry } from "./before-retry.ts";

interface BoundaryProps {
  /** What is shown in it, such as an address. Another one is tried although the one before it has failed. */
  readonly place: string;
  readonly renderFailure: (error: unknown, onRetry: () => void) => ReactNode;
  readonly children: ReactNode;
}

interface BoundaryState {
  readonly failure: { readonly error: unknown } | null;
}

/** Keeps an error of the elements in it from emptying the whole page. */
export class Boundary extends Component<BoundaryProps, BoundaryState> {
  override state: BoundaryState = { failure: null };

  static getDerivedStateFromError(error: unknown): BoundaryState {
    return { failure: { error } };
  }

  override componentDidUpdate({ place }: BoundaryProps): void {
    if (place !== this.props.place && this.state.failure !== null) this.#retry();
  }

  readonly #retry = (): void => {
    prepareRetry();
    this.setState({ failure: null });
  };

  override render(): ReactNode {
    const { failure } = this.state;
    return failure === null ? this.props.children : this.props.renderFailure(failure.error, this.#retry);
  }
}
