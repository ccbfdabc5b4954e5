import { useEffect, useState } from "preact/hooks";

/** ms without a key press after which typing counts as finished. */
const TYPING = 200;

/** Returns the text, and changes it only when the person stops typing. */
export function useSettled<T>(text: T): T {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), TYPING);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}
