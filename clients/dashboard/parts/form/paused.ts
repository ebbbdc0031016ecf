import { useEffect, useState } from "react";

const pauseMs = 400;

/** The value once it has not changed for a moment, so that typing asks nothing of the API. */
export function usePaused<T>(value: T): T {
  const [paused, setPaused] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setPaused(value), pauseMs);
    return () => clearTimeout(timer);
  }, [value]);
  return paused;
}
