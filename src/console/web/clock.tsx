/** The time of service and card. */
import { useState } from "preact/hooks";
import { useLive } from "./api.js";
import { Act } from "./card-actions.js";
import { type ClockState, useControls } from "./control.js";
import { useSpeech } from "./texts.js";
import { Panel } from "./ui.js";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

export function ClockPanel() {
  const { say, time } = useSpeech();
  const { url, act } = useControls();
  const clock = useLive<ClockState>(`${url}/clock`).value;
  const [at, setAt] = useState("");
  if (!clock) return null;
  return (
    <Panel title={say("clock")}>
      <p class="amounts">
        <strong>{time(clock.at)}</strong> {!clock.ticking && <span class="tag">{say("frozen")}</span>}
      </p>
      <form
        class="value"
        onSubmit={(event) => {
          event.preventDefault();
          if (at !== "") act("PATCH", "/clock", { at: new Date(at).toISOString() });
        }}
      >
        <label>
          {say("setTo")}
          <input type="datetime-local" step="1" value={at} onInput={(event) => setAt(event.currentTarget.value)} />
        </label>
        <button type="submit">{say("set")}</button>
      </form>
      <div class="row">
        <Act text="hourBack" method="PATCH" path="/clock" body={{ advance: -HOUR }} />
        <Act text="hourOn" method="PATCH" path="/clock" body={{ advance: HOUR }} />
        <Act text="dayOn" method="PATCH" path="/clock" body={{ advance: DAY }} />
        <Act text="freeze" method="PATCH" path="/clock" body={{ ticking: false }} off={!clock.ticking} />
        <Act text="tick" method="PATCH" path="/clock" body={{ ticking: true }} off={clock.ticking} />
      </div>
    </Panel>
  );
}
