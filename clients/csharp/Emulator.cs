using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Net.Http;
using System.Runtime.Serialization;
using System.Text;
using System.Text.RegularExpressions;
using System.Threading.Tasks;

namespace Fiscal
{
    /// <summary>
    /// A test fixture: starts `tillseal serve` on free ports and drives its card. For your tests, not for a till.
    /// Set TILLSEAL_URL and TILLSEAL_CONTROL_URL, as tillseal rehearse does, to use an emulator that is already running.
    /// </summary>
    public sealed class Emulator : IDisposable
    {
        public string Url { get; private set; }
        public string ControlUrl { get; private set; }
        public string Pin { get; } = "1234";

        private readonly HttpClient http = new HttpClient(new HttpClientHandler { UseProxy = false });
        private Process process;

        public Emulator()
        {
            Url = Environment.GetEnvironmentVariable("TILLSEAL_URL") + "/api/v3";
            ControlUrl = Environment.GetEnvironmentVariable("TILLSEAL_CONTROL_URL");
            if (!Url.StartsWith("http") || string.IsNullOrEmpty(ControlUrl)) Start();
        }

        private void Start()
        {
            // Not `npx tillseal`: the signal that ends npx would leave the emulator behind.
            var command = Environment.GetEnvironmentVariable("TILLSEAL")
                ?? "node node_modules/tillseal/dist/src/cli.js";
            var words = command.Split(new[] { ' ' }, 2);
            var arguments = words.Length < 2 ? "" : words[1];
            // The end of its stdin ends the emulator, also when this program is killed.
            process = Process.Start(new ProcessStartInfo(
                words[0], arguments + " serve --port 0 --control-port 0 --no-authority --until-stdin-ends")
            {
                UseShellExecute = false, RedirectStandardInput = true, RedirectStandardOutput = true,
            });
            // Stop the emulator also if the tests end without Dispose.
            AppDomain.CurrentDomain.ProcessExit += (sender, ending) => Dispose();
            var said = "";
            for (var line = process.StandardOutput.ReadLine(); line != null; line = process.StandardOutput.ReadLine())
            {
                said += line + "\n";
                if (line.Trim() != "ready") continue;
                Url = Regex.Match(said, @"listens on (http://\S+/api/v3)").Groups[1].Value;
                ControlUrl = Regex.Match(said, @"^(http://\S+)/control drives", RegexOptions.Multiline).Groups[1].Value;
                return;
            }
            throw new InvalidOperationException(command + " did not start: " + said);
        }

        /// <summary>Does a step of a scenario: { "card", "unplug" }.</summary>
        public Task DoAsync(Dictionary<string, object> step)
        {
            return ControlAsync("POST", "/do", step);
        }

        public Task InsertCardAsync()
        {
            return DoAsync(new Dictionary<string, object> { { "card", "insert" } });
        }

        public Task RemoveCardAsync()
        {
            return DoAsync(new Dictionary<string, object> { { "card", "remove" } });
        }

        public Task LockCardAsync()
        {
            return PatchCardAsync(new Dictionary<string, object> { { "locked", true } });
        }

        /// <summary>{ "limit", "100" }, { "locked", true }: amounts are decimal text.</summary>
        public Task PatchCardAsync(Dictionary<string, object> fields)
        {
            var patch = new Dictionary<string, object> { { "patch", fields } };
            return DoAsync(new Dictionary<string, object> { { "card", patch } });
        }

        /// <summary>"total", and each pair of types by its letters, such as "NS".</summary>
        public async Task<Dictionary<string, int>> CountersAsync()
        {
            var card = await ControlAsync("GET", "/card", null).ConfigureAwait(false);
            return Json.Read<Card>(card).Counters;
        }

        /// <summary>{ "on", "sign" }, { "kind", "removedAfter" }; with { "nth", 1 } only the first time.</summary>
        public Task FaultAsync(Dictionary<string, object> fault)
        {
            return DoAsync(new Dictionary<string, object> { { "faults", new[] { fault } } });
        }

        public Task RemoveFaultsAsync()
        {
            return DoAsync(new Dictionary<string, object> { { "faults", "clear" } });
        }

        /// <summary>Resets card, store, clock and faults to the start.</summary>
        public Task ResetAsync()
        {
            return ControlAsync("POST", "/reset", null);
        }

        /// <summary>Restarts in another situation; an empty dictionary is the usual one.</summary>
        public Task GivenAsync(Dictionary<string, object> given)
        {
            return ControlAsync("POST", "/given", given);
        }

        public void Dispose()
        {
            if (process == null) return;
            // Kill() is SIGKILL, so the emulator cannot clean up. Windows has no other signal.
            if (Path.DirectorySeparatorChar == '/')
            {
                Process.Start(new ProcessStartInfo("kill", process.Id.ToString()) { UseShellExecute = false });
            }
            else
            {
                process.Kill();
            }
            process.WaitForExit();
            process = null;
        }

        private async Task<byte[]> ControlAsync(string method, string path, Dictionary<string, object> body)
        {
            using (var request = new HttpRequestMessage(new HttpMethod(method), ControlUrl + "/control" + path))
            {
                if (body != null) request.Content = new StringContent(Written(body));
                using (var answer = await http.SendAsync(request).ConfigureAwait(false))
                {
                    var text = await answer.Content.ReadAsByteArrayAsync().ConfigureAwait(false);
                    if (answer.IsSuccessStatusCode) return text;
                    throw new InvalidOperationException(method + " " + path + ": " + Encoding.UTF8.GetString(text));
                }
            }
        }

        /// <summary>Mono's class library writes a dictionary inside another one as a list of pairs; this does not.</summary>
        private static string Written(object value)
        {
            if (value is object[] list) return "[" + string.Join(",", list.Select(Written)) + "]";
            if (!(value is Dictionary<string, object> fields)) return Encoding.UTF8.GetString(Json.Write(value));
            return "{" + string.Join(",", fields.Select(field => Written(field.Key) + ":" + Written(field.Value))) + "}";
        }

        [DataContract]
        private sealed class Card
        {
            [DataMember(Name = "counters")]
            public Dictionary<string, int> Counters { get; private set; }
        }
    }
}
