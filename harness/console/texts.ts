/** Texts of the emulator's pages in the chosen language. */
import { useMemo } from "preact/hooks";
import { FAULT_KINDS, type FaultKind } from "../../emulator/faults/fault.js";
import { pairIn } from "../../src/console/web/texts/pair.js";
import { catalogueOf, type Say, type Speech, type TextKey, useSpeech } from "../../src/console/web/texts.js";
import { FAULT_TEXTS } from "./texts/faults.js";
import { ENGLISH, SERBIAN } from "./texts/pages.js";

type OwnKey = keyof typeof ENGLISH;
export type EmulatorTextKey = OwnKey | TextKey;

/** Texts for code outside of a component, such as the title of a page, because hooks work only in components. */
export const emulatorTextIn = catalogueOf<OwnKey>(ENGLISH, SERBIAN);
const isOwn = (key: EmulatorTextKey): key is OwnKey => Object.hasOwn(ENGLISH, key);

function withEmulator(speech: Speech) {
  const { language } = speech;
  const sayOwn = emulatorTextIn(language);
  const say: Say<EmulatorTextKey> = (key, values) => (isOwn(key) ? sayOwn(key, values) : speech.say(key, values));
  return {
    ...speech,
    say,
    faultKind: (kind: FaultKind) => {
      const { name, meaning: serbian } = FAULT_TEXTS[kind];
      const english = FAULT_KINDS[kind].meaning.replaceAll("`", "");
      return {
        // The Serbian name has the English word, too, because scenario files use this word.
        name: pairIn(language, { english: kind, serbian: `${name} (${kind})` }),
        meaning: pairIn(language, { english, serbian }),
      };
    },
  };
}

export function useEmulatorSpeech() {
  const speech = useSpeech();
  return useMemo(() => withEmulator(speech), [speech]);
}
