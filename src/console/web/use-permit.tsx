/** Runs actions that may need the card's PIN: if the service refuses one without it, a dialog asks the person. */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Ask, type Question } from "./ask.js";
import { needsPin, permitted } from "./permitted.js";
import { useSpeech } from "./texts.js";

/** @param action sends a request with these fields in its body */
export type Permit = <T>(action: (fields: { readonly pin?: string }) => Promise<T>) => Promise<T>;

interface Asked extends Question {
  readonly closed: () => void;
}

/** @returns `dialog`: the question for the PIN, which the caller shows */
export function usePermit(): { readonly permit: Permit; readonly dialog: ComponentChildren } {
  const speech = useSpeech();
  const { say } = speech;
  const [asked, setAsked] = useState<Asked>();
  const askPin = () =>
    new Promise<string>((resolve, reject) => {
      const closed = () => {
        setAsked(undefined);
        // After an answer, this changes nothing.
        reject(new Error(say("changesNeedPin")));
      };
      setAsked({ title: say("changesNeedPin"), answer: say("enterPin"), asksPin: true, act: resolve, closed });
    });
  const permit: Permit = async (action) => {
    try {
      return await action({});
    } catch (error) {
      if (!needsPin(error)) throw error;
    }
    const pin = await askPin();
    return permitted(speech, () => action({ pin }));
  };
  return { permit, dialog: asked && <Ask question={asked} closed={asked.closed} /> };
}

/** Makes a permit that sends the entered PIN again with later requests of the same task, until one of them fails. */
export function rememberPin(permit: Permit): Permit {
  let entered: { readonly pin?: string } = {};
  return (action) =>
    permit(async (fields) => {
      const all = { ...entered, ...fields };
      entered = {};
      const answer = await action(all);
      entered = all;
      return answer;
    });
}
