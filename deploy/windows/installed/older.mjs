/** `node older.mjs VERSION INSTALLED`: exit status 0 if VERSION is older than INSTALLED. The setup asks before it replaces a newer version. */

const NUMBERS = new Intl.Collator("en", { numeric: true });

/** Sorts `1.0.0-rc.1` before `1.0.0`. */
const sortKey = (version) => (version.includes("-") ? version : `${version}-z`);

/** @param version as in package.json */
export function isOlder(version, installed) {
  return NUMBERS.compare(sortKey(version), sortKey(installed)) < 0;
}

if (process.argv[1] === import.meta.filename) {
  const [version, installed] = process.argv.slice(2);
  process.exitCode = isOlder(version, installed) ? 0 : 1;
}
