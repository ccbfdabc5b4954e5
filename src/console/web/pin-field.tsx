/** The field for the card's PIN. The page sends the PIN and does not keep it. */
import type { Ref } from "preact";
import { useSpeech } from "./texts.js";

interface PinFieldProps {
  readonly id: string;
  readonly value: string;
  readonly change: (pin: string) => void;
  readonly field?: Ref<HTMLInputElement>;
}

export function PinField({ id, value, change, field }: PinFieldProps) {
  const { say } = useSpeech();
  return (
    <input
      id={id}
      ref={field ?? null}
      type="password"
      inputMode="numeric"
      autocomplete="off"
      pattern="[0-9]+"
      required
      value={value}
      title={say("pinForm")}
      onInput={(event) => change(event.currentTarget.value)}
    />
  );
}
