/** Calls of the pages to the emulator's control interface. */
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { ScenarioRecord, StoreRecord } from "../../emulator/world/card-types.js";
import type { WorldStep } from "../../emulator/world/step-types.js";
import type { InfoRecord } from "../../src/console/records/info.js";
import { call } from "../../src/console/web/api.js";
import type { Question } from "../../src/console/web/ask.js";
import { type ActionState, useAction } from "../../src/console/web/ui.js";
import { useEmulatorSpeech } from "./texts.js";

/** Returns the address at which this browser reaches the control interface, or undefined with a real card. */
export function controlUrl({ controlPort }: InfoRecord): string | undefined {
  return controlPort === null ? undefined : `http://${location.hostname}:${controlPort}/control`;
}

export interface Controls extends ActionState {
  readonly url: string;
  /** Calls the control interface. The page shows the result with the next event. */
  readonly act: (method: "POST" | "PUT" | "DELETE", path: string, body?: unknown, done?: () => void) => void;
  readonly doStep: (step: WorldStep) => void;
  /** Asks a person before an action that cannot be undone. */
  readonly ask: (question: Question) => void;
}

export function useNewControls(url: string, ask: (question: Question) => void, done: () => void): Controls {
  const action = useAction(done);
  const act: Controls["act"] = (method, path, body, done) =>
    action.run(async () => {
      await call(url + path, { method, body });
      done?.();
    });
  return { ...action, url, act, ask, doStep: (step) => act("POST", "/do", step) };
}

export const ControlsContext = createContext<Controls | undefined>(undefined);

export function useControls(): Controls {
  const controls = useContext(ControlsContext);
  if (!controls) throw new Error("there is no emulator on this page");
  return controls;
}

export function useBeginning(): (situation: Pick<ScenarioRecord, "given" | "inOrder">, begun: () => void) => void {
  const { act } = useControls();
  const erasing = useErasing();
  return ({ given, inOrder }, begun) =>
    erasing(() =>
      act("POST", "/given", given, () => {
        begun();
        if (inOrder) act("POST", "/rehearsal/situation", { inOrder });
      }),
    );
}

/**
 * Asks a person before an action that deletes receipts. The question has the number of receipts and offers a snapshot.
 */
export function useErasing(): (erase: () => void) => void {
  const { say } = useEmulatorSpeech();
  const { url, run, act, ask } = useControls();
  return (erase) =>
    run(async () => {
      // We fetch the numbers now, because the page may show an older state.
      const { keptIn, complete, open, lost } = await call<StoreRecord>(`${url}/store`);
      const n = complete + open + lost;
      if (n === 0) {
        erase();
        return;
      }
      // The snapshot's name has the time, such as `before-20261122031500`.
      const name = `before-${new Date().toISOString().slice(0, 19).replaceAll(/\D/g, "")}`;
      ask({
        title: say("eraseAsk", { n }),
        means: `${keptIn === null ? "" : say("eraseFolder", { folder: keptIn })} ${say("eraseMeans")}`.trim(),
        answer: say("eraseAnswer", { n }),
        act: erase,
        safer: { answer: say("snapshotFirst"), act: () => act("PUT", `/snapshots/${name}`, undefined, erase) },
      });
    });
}
