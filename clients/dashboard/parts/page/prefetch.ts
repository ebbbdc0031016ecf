import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";

/** How long the pointer or the focus rests before anything is read, so that crossing a list reads nothing. */
const restMs = 100;

export type Prefetch = (client: QueryClient) => Promise<void>;

/** For a link or button: reads what it leads to while it is pointed at or has the focus. */
export function usePrefetch(prefetch: Prefetch) {
  const client = useQueryClient();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const leave = () => clearTimeout(timer.current);
  const rest = () => {
    leave();
    timer.current = setTimeout(() => void prefetch(client), restMs);
  };
  useEffect(() => () => clearTimeout(timer.current), []);
  return { onPointerEnter: rest, onPointerLeave: leave, onFocus: rest, onBlur: leave };
}
