import { useEffect, useState } from "preact/hooks";

/** ms without a key press after which typing counts as finished. */
const TYPING = 200;

/** The text, updated when typing stops. */
export function useSettled<T>(text: T): T {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), TYPING);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}
