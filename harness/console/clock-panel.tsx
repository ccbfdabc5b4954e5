/** Shows the emulated clock of service and card, and changes it. */
import { useEffect, useState } from "preact/hooks";
import type { ClockRecord } from "../../emulator/world/card-types.js";
import { useLive } from "../../src/console/web/api.js";
import { DayField, Panel } from "../../src/console/web/ui.js";
import { isDay } from "../../src/fiscal/zoned.js";
import { Act } from "./card-actions.js";
import { useControls } from "./control.js";
import { useEmulatorSpeech } from "./texts.js";

export function ClockPanel() {
  const { say, time, moment } = useEmulatorSpeech();
  const { url, doStep } = useControls();
  const clock = useLive<ClockRecord>(`${url}/clock`).value;
  const [at, setAt] = useState("");
  const shown = useGoingOn(clock);
  if (!clock) return null;
  return (
    <Panel title={say("clock")}>
      <p class="amounts">
        <strong>{time(shown)}</strong> {!clock.ticking && <span class="tag">{say("frozen")}</span>}
      </p>
      <form
        class="value"
        onSubmit={(event) => {
          event.preventDefault();
          if (isDay(at.slice(0, 10))) doStep({ clock: { at: moment(at).toISOString() } });
        }}
      >
        <DayField title={say("setTo")} value={at} withTime change={setAt} />
        <button type="submit">{say("set")}</button>
      </form>
      <div class="row">
        <Act text="hourBack" step={{ clock: { advance: "-1h" } }} />
        <Act text="hourOn" step={{ clock: { advance: "1h" } }} />
        <Act text="dayOn" step={{ clock: { advance: "1d" } }} />
        <Act text="freeze" step={{ clock: { ticking: false } }} off={!clock.ticking} />
        <Act text="tick" step={{ clock: { ticking: true } }} off={clock.ticking} />
      </div>
    </Panel>
  );
}

/** ms between updates of a ticking clock. */
const LOOK_INTERVAL_MS = 500;

/** Returns the current time of a clock that we read a moment ago. */
function useGoingOn(clock: ClockRecord | undefined): string {
  const [asked, setAsked] = useState({ clock, at: Date.now() });
  const [now, setNow] = useState(Date.now());
  useEffect(() => setAsked({ clock, at: Date.now() }), [clock]);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), LOOK_INTERVAL_MS);
    return () => clearInterval(timer);
  }, []);
  const since = clock?.ticking === true && asked.clock === clock ? Math.max(now - asked.at, 0) : 0;
  return new Date(Date.parse(clock?.at ?? new Date(0).toISOString()) + since).toISOString();
}
