import { useEffect, useState } from "preact/hooks";

/** ms; somebody who types is not done yet. */
const TYPING = 200;

/** What was typed, once the typing has stopped. */
export function useSettled<T>(text: T): T {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), TYPING);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}
