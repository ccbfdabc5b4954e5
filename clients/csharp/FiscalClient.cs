using System;
using System.IO;
using System.Net;
using System.Net.Http;
using System.Runtime.Serialization;
using System.Text;
using System.Threading.Tasks;

namespace Fiscal
{
    /// <summary>The service refused the request. Action says what the till does next, see FiscalCodes.</summary>
    public sealed class FiscalError : Exception
    {
        /// <summary>Four digits.</summary>
        public string Code { get; private set; }
        public string Action { get; private set; }
        public string Details { get; private set; }

        public FiscalError(string code, string message, string details)
            : base((code + " " + message + " " + details).Trim())
        {
            Code = code;
            Action = FiscalCodes.Of(code).Action;
            Details = details;
        }

        internal FiscalError(string code) : this(code, FiscalCodes.Of(code).Meaning, "")
        {
        }
    }

    /// <summary>
    /// No answer came. The card may have signed: send the same invoice with the same RequestId until an answer comes.
    /// </summary>
    public sealed class AnswerLost : Exception
    {
        public string RequestId { get; private set; }

        internal AnswerLost(string requestId, Exception cause)
            : base("no answer to " + requestId + "; send it again with the same RequestId", cause)
        {
            RequestId = requestId;
        }
    }

    /// <summary>
    /// A client for tillseal and services with the same API. It needs only the class library: .NET 6 and later, .NET Framework
    /// 4.6 and later, Mono.
    /// </summary>
    public sealed class FiscalClient : IDisposable
    {
        private readonly string url;
        private readonly HttpClient http;

        public int Attempts { get; set; } = 3;

        /// <summary>Before the second attempt; it doubles with each further attempt.</summary>
        public TimeSpan Pause { get; set; } = TimeSpan.FromSeconds(1);

        /// <param name="url">such as http://localhost:8431/api/v3</param>
        /// <param name="timeout">of one attempt, from the connection to the last byte; default: 30 s</param>
        public FiscalClient(string url, TimeSpan? timeout = null)
        {
            this.url = url.TrimEnd('/');
            // The service is on this machine, so ignore a proxy that the environment names.
            http = new HttpClient(new HttpClientHandler { UseProxy = false });
            http.Timeout = timeout ?? TimeSpan.FromSeconds(30);
            http.DefaultRequestHeaders.Add("Accept", "application/json");
            http.DefaultRequestHeaders.ExpectContinue = false;
        }

        /// <summary>Opens the card. FiscalError: 2100 (wrong), 2110 (locked), 1300 (no card), 2220.</summary>
        public async Task VerifyPinAsync(string pin)
        {
            var content = new StringContent(pin, Encoding.UTF8, "text/plain");
            var answer = await SendAsync(HttpMethod.Post, "/pin", content, null).ConfigureAwait(false);
            var code = Encoding.UTF8.GetString(answer).Trim('"', ' ', '\r', '\n');
            if (code != "0100") throw new FiscalError(code);
        }

        public async Task<Status> StatusAsync()
        {
            return Json.Read<Status>(await SendAsync(HttpMethod.Get, "/status", null, null).ConfigureAwait(false));
        }

        /// <summary>Signs an invoice. A repeat with the same RequestId is never signed twice.</summary>
        /// <param name="requestId">up to 32 characters, new for each invoice and stored by the till before it calls</param>
        /// <exception cref="FiscalError">a refusal</exception>
        /// <exception cref="AnswerLost">after the last attempt</exception>
        public async Task<Receipt> SubmitAsync(Invoice invoice, string requestId)
        {
            var body = Encoding.UTF8.GetString(Json.Write(invoice));
            Exception lost = null;
            for (var attempt = 0; attempt < Attempts; attempt++)
            {
                if (attempt > 0) await Task.Delay(TimeSpan.FromTicks(Pause.Ticks << (attempt - 1))).ConfigureAwait(false);
                try
                {
                    var content = new StringContent(body, Encoding.UTF8, "application/json");
                    var answer = await SendAsync(HttpMethod.Post, "/invoices", content, requestId).ConfigureAwait(false);
                    return Json.Read<Receipt>(answer);
                }
                catch (Exception error) when (IsLost(error))
                {
                    lost = error;
                }
            }
            throw new AnswerLost(requestId, lost);
        }

        /// <summary>The time limit cancels the task. A truncated answer is not valid JSON.</summary>
        private static bool IsLost(Exception error)
        {
            return error is HttpRequestException || error is TaskCanceledException || error is IOException
                || error is WebException || error is SerializationException;
        }

        private async Task<byte[]> SendAsync(HttpMethod method, string path, HttpContent content, string requestId)
        {
            using (var request = new HttpRequestMessage(method, url + path) { Content = content })
            {
                if (requestId != null) request.Headers.Add("RequestId", requestId);
                using (var answer = await http.SendAsync(request).ConfigureAwait(false))
                {
                    var body = await answer.Content.ReadAsByteArrayAsync().ConfigureAwait(false);
                    if ((int)answer.StatusCode >= 400) throw ErrorOf(body);
                    return body;
                }
            }
        }

        private static FiscalError ErrorOf(byte[] body)
        {
            var text = Encoding.UTF8.GetString(body).Trim();
            // Devices send some errors as the code alone.
            if (text.Trim('"').Length == 4) return new FiscalError(text.Trim('"'));
            try
            {
                var record = Json.Read<ErrorRecord>(body);
                if (record.Code != null) return new FiscalError(record.Code, record.Message ?? "", record.Details ?? "");
            }
            catch (SerializationException)
            {
                // The answer is not from the service, but for example from a proxy.
            }
            return new FiscalError("1999", "the answer is not an error record", text);
        }

        public void Dispose()
        {
            http.Dispose();
        }
    }
}
