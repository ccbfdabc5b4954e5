/**
 * `node deploy/environments.mjs TAG`, the first step of a release: asks GitHub for what docs/releasing.md asks you to set up there.
 * GitHub makes a missing environment when a job first uses it, without reviewers, so the job would publish at once.
 */
import { settingFaults } from "./release-rules.mjs";

const { GITHUB_API_URL, GITHUB_REPOSITORY, GH_TOKEN, NPM_REGISTRY = "" } = process.env;

async function ask(path) {
  const url = `${GITHUB_API_URL}/repos/${GITHUB_REPOSITORY}/environments/${path}`;
  const response = await fetch(url, { headers: { Authorization: `Bearer ${GH_TOKEN}` } });
  if (response.status === 404) return undefined;
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
  return response.json();
}

const environments = {};
for (const name of ["release", "github-pages"]) {
  const environment = await ask(name);
  const policies = environment?.deployment_branch_policy && (await ask(`${name}/deployment-branch-policies`));
  environments[name] = environment && { ...environment, policies: policies?.branch_policies ?? [] };
}
const faults = settingFaults(process.argv[2], environments, NPM_REGISTRY);
for (const fault of faults) console.error(fault);
process.exitCode = faults.length === 0 ? 0 : 1;
