/** Settings: checked and kept by the service, in force after a restart that somebody asks for. */
import { useEffect, useState } from "preact/hooks";
import type { InfoRecord, RestartRecord, SettingRecord, SettingsRecord, SettingsRefusal } from "../records.js";
import { call, Refused, useLive } from "./api.js";
import { useSpeech } from "./texts.js";
import { Problem, useDeed } from "./ui.js";

type Changes = Readonly<Record<string, unknown>>;

export function SettingsPage({ info: { trusted } }: { readonly info: InfoRecord }) {
  const { say } = useSpeech();
  const { value: record, error, refresh } = useLive<SettingsRecord>(trusted ? "/console/settings" : undefined);
  const [changes, setChanges] = useState<Changes>({});
  const [refused, setRefused] = useState<SettingsRefusal["settings"]>({});
  const [saved, setSaved] = useState(false);
  const { busy, problem, run } = useDeed(refresh);
  useEffect(() => {
    if (Object.keys(refused).length > 0) document.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [refused]);
  if (!trusted) return <p class="notice">{say("onlyHere")}</p>;
  if (!record) return <Problem text={error?.message ?? ""} />;
  const { file, settings, waiting, failed } = record;
  const save = (event: Event) => {
    event.preventDefault();
    setRefused({});
    setSaved(false);
    run(async () => {
      try {
        await call("/console/settings", { method: "PUT", body: changes });
        setChanges({});
        setSaved(true);
      } catch (reason) {
        // What is wrong stands beside each setting.
        if (!(reason instanceof Refused && isRefusal(reason.body))) throw reason;
        setRefused(reason.body.settings);
        const byName = Object.keys(reason.body.settings).length > 0;
        throw byName ? new Error(say("notSaved")) : reason;
      }
    });
  };
  return (
    <form class="panel settings" onSubmit={save} noValidate>
      <h1>{say("settings")}</h1>
      <p>{file === null ? say("settingsNotKept") : say("settingsKept", { file })}</p>
      {settings.map((setting) => (
        <Setting
          key={setting.name}
          setting={setting}
          changed={changes[setting.name]}
          problem={refused[setting.name]}
          off={file === null || setting.overruledBy !== null}
          change={(value) => setChanges({ ...changes, [setting.name]: value })}
        />
      ))}
      <Problem text={problem} />
      <div class="row">
        <button type="submit" class="main" disabled={busy || Object.keys(changes).length === 0}>
          {say("save")}
        </button>
        <p role="status" class="muted">
          {saved && say("saved")}
        </p>
      </div>
      {failed !== null && <p class="notice bad">{say("restartFailed", { reason: failed })}</p>}
      {waiting.length > 0 && <Restart waiting={waiting} />}
    </form>
  );
}

function isRefusal(body: unknown): body is SettingsRefusal {
  return typeof body === "object" && body !== null && "settings" in body;
}

function Restart({ waiting }: { readonly waiting: readonly string[] }) {
  const { say } = useSpeech();
  const { busy, problem, run } = useDeed();
  const restart = async () => {
    const { url } = await call<RestartRecord>("/console/restart", { method: "POST" });
    await moveTo(url);
  };
  return (
    <div class="notice care">
      <p>{say("waitsForRestart", { names: waiting.join(", ") })}</p>
      <button type="button" class="main" disabled={busy} onClick={() => run(restart)}>
        {say("restartService")}
      </button>
      <p role="status">{busy && say("restarting")}</p>
      <Problem text={problem} />
    </div>
  );
}

/** ms; answers in flight are finished first, and a card is slow. */
const PATIENCE = 60_000;
const BETWEEN = 250;

/** Follows the service to its new address; stays where it has come back with its old settings. */
async function moveTo(url: string): Promise<void> {
  const there = new URL(url);
  // The browser may know this machine by another name than the service does.
  if (there.hostname === "0.0.0.0" || there.hostname === "[::]" || isLoopback(there.hostname)) {
    there.hostname = location.hostname;
  }
  if (there.origin === location.origin) return;
  for (let waited = 0; waited < PATIENCE; waited += BETWEEN) {
    await new Promise((resolve) => setTimeout(resolve, BETWEEN));
    if (await answers(there.origin)) {
      location.href = `${there.origin}/${location.hash}`;
      return;
    }
    const here = await call<SettingsRecord>("/console/settings").catch(() => undefined);
    if (here && here.failed !== null) return;
  }
}

/** A page may not read what another address answers, but it is told that something does. */
async function answers(origin: string): Promise<boolean> {
  try {
    await fetch(`${origin}/console/info`, { mode: "no-cors", cache: "no-store" });
    return true;
  } catch {
    return false;
  }
}

function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || hostname.startsWith("127.");
}

interface SettingProps {
  readonly setting: SettingRecord;
  /** What was typed or chosen; undefined where nothing was. */
  readonly changed: unknown;
  readonly problem: string | undefined;
  readonly off: boolean;
  /** null takes it out of the file. */
  readonly change: (value: unknown) => void;
}

function Setting({ setting, changed, problem, off, change }: SettingProps) {
  const { say, aboutSetting } = useSpeech();
  const { name, description, value, saved, overruledBy } = setting;
  const inForce = overruledBy === null ? (saved ?? value) : value;
  const shown = changed === undefined ? inForce : changed;
  const about = problem === undefined ? `${name}-about` : `${name}-problem ${name}-about`;
  return (
    <div class="setting">
      <label for={name}>{name}</label>
      <Input setting={setting} shown={shown} about={about} invalid={problem !== undefined} off={off} change={change} />
      <p class="muted" id={`${name}-about`}>
        {aboutSetting(name, description)}
        {overruledBy !== null && <strong> {say("overruled", { by: overruledBy })}</strong>}
      </p>
      {problem !== undefined && (
        <p class="problem" id={`${name}-problem`} lang="en">
          {problem}
        </p>
      )}
    </div>
  );
}

interface InputProps extends Pick<SettingProps, "setting" | "off" | "change"> {
  readonly shown: unknown;
  readonly about: string;
  readonly invalid: boolean;
}

function Input({
  setting: { name, type, choices, default: fallback },
  shown,
  about,
  invalid,
  off,
  change,
}: InputProps) {
  const common = { id: name, disabled: off, "aria-describedby": about, "aria-invalid": invalid };
  const placeholder = fallback === null ? "" : String(fallback);
  if (type === "boolean" && fallback !== null) {
    return (
      <input
        {...common}
        type="checkbox"
        checked={shown === true}
        onChange={({ currentTarget: { checked } }) => change(checked)}
      />
    );
  }
  if (type === "boolean" || choices)
    return <Choice {...common} among={choices ?? [null, true, false]} shown={shown} change={change} />;
  if (type === "array") return <List {...common} shown={shown} change={change} />;
  const typed = (text: string) =>
    text === "" ? null : type === "integer" && /^-?\d+$/.test(text) ? Number(text) : text;
  return (
    <input
      {...common}
      placeholder={placeholder}
      value={String(shown ?? "")}
      onInput={({ currentTarget }) => change(typed(currentTarget.value.trim()))}
    />
  );
}

interface ChoiceProps {
  readonly id: string;
  readonly among: readonly (string | number | boolean | null)[];
  readonly shown: unknown;
  readonly change: (value: unknown) => void;
}

function Choice({ among, shown, change, ...common }: ChoiceProps) {
  const { say } = useSpeech();
  const chosen = String(among.indexOf(shown as ChoiceProps["among"][number]));
  return (
    <select {...common} value={chosen} onChange={({ currentTarget: { value } }) => change(among[Number(value)])}>
      {among.map((choice, i) => (
        <option key={String(choice)} value={i}>
          {typeof choice === "boolean" ? say(choice ? "yes" : "no") : (choice ?? say("byDefault"))}
        </option>
      ))}
    </select>
  );
}

/** Several, with commas between them; what is typed stays as it is typed. */
function List({ shown, change, ...common }: Omit<ChoiceProps, "among">) {
  const [text, setText] = useState(Array.isArray(shown) ? shown.join(", ") : "");
  const type = (typed: string) => {
    setText(typed);
    const parts = typed
      .split(",")
      .map((part) => part.trim())
      .filter(Boolean);
    change(parts.length === 0 ? null : parts);
  };
  return <input {...common} value={text} onInput={({ currentTarget }) => type(currentTarget.value)} />;
}
