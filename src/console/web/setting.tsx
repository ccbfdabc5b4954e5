/** Shows one setting: its name, its meaning, and a field to change it. */
import type { SettingProblem, SettingRecord } from "../records/settings.js";
import { useSpeech } from "./texts.js";

interface SettingProps {
  readonly setting: SettingRecord;
  /** The typed or chosen value; undefined if unchanged. */
  readonly changed: unknown;
  readonly problem: SettingProblem | undefined;
  readonly off: boolean;
  /** Changes the value of the setting; null removes the setting from the file. */
  readonly change: (value: unknown) => void;
}

export function Setting({ setting, changed, problem, off, change }: SettingProps) {
  const { say, setting: named } = useSpeech();
  const { name, type, description, value, saved, overruledBy } = setting;
  const { title, meaning } = named(name, description);
  const current = overruledBy === null ? (saved ?? value) : value;
  const shown = changed === undefined ? current : changed;
  const about = problem === undefined ? `${name}-about` : `${name}-problem ${name}-about`;
  return (
    <div class="setting">
      <div>
        {/* A list has several boxes, each with its own label, so its title is no label. */}
        {type === "array" ? <span id={`${name}-title`}>{title}</span> : <label for={name}>{title}</label>}
        <code>{name}</code>
      </div>
      <Input setting={setting} shown={shown} about={about} invalid={problem !== undefined} off={off} change={change} />
      <p class="muted meaning" id={`${name}-about`}>
        {meaning}
        {overruledBy !== null && <strong> {say("overruled", { by: overruledBy })}</strong>}
      </p>
      {problem !== undefined && (
        <p class="problem" id={`${name}-problem`}>
          {say(problem.reason, problem.values)}
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
  if (type === "array") return <Languages {...common} among={choices ?? []} shown={shown} change={change} />;
  if (type === "boolean" || choices)
    return <Choice {...common} among={choices ?? [null, true, false]} shown={shown} change={change} />;
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
  const value = (shown ?? null) as ChoiceProps["among"][number];
  // A setting without a value has the choice of none too, else its field would be empty.
  const choices = among.includes(value) ? among : [value, ...among];
  return (
    <select
      {...common}
      value={String(choices.indexOf(value))}
      onChange={({ currentTarget }) => change(choices[Number(currentTarget.value)])}
    >
      {choices.map((choice, i) => (
        <option key={String(choice)} value={i}>
          {typeof choice === "boolean" ? say(choice ? "yes" : "no") : (choice ?? say("byDefault"))}
        </option>
      ))}
    </select>
  );
}

interface LanguagesProps {
  readonly id: string;
  readonly disabled: boolean;
  readonly "aria-describedby": string;
  readonly "aria-invalid": boolean;
  readonly among: readonly (string | number)[];
  readonly shown: unknown;
  readonly change: (value: unknown) => void;
}

/**
 * Fields to choose any number of languages. Only which language is the first matters, not the order of the others.
 * Without a choice, the environment decides.
 */
function Languages({ id, among, shown, change, disabled, ...about }: LanguagesProps) {
  const { say, languageName } = useSpeech();
  const chosen = Array.isArray(shown) ? shown.map(String) : [];
  const choose = (tags: readonly string[]) => change(tags.length === 0 ? null : tags);
  const others = (tag: string) => chosen.filter((other) => other !== tag);
  return (
    <fieldset class="languages" aria-labelledby={`${id}-title`} disabled={disabled}>
      {among.map(String).map((tag) => (
        <label key={tag}>
          <input
            {...about}
            type="checkbox"
            checked={chosen.includes(tag)}
            onChange={({ currentTarget: { checked } }) => choose(checked ? [...chosen, tag] : others(tag))}
          />
          {languageName(tag)}
        </label>
      ))}
      {chosen.length > 1 && (
        <label class="first">
          {say("firstLanguage")}
          <select value={chosen[0]} onChange={({ currentTarget: { value } }) => choose([value, ...others(value)])}>
            {chosen.map((tag) => (
              <option key={tag} value={tag}>
                {languageName(tag)}
              </option>
            ))}
          </select>
        </label>
      )}
    </fieldset>
  );
}
