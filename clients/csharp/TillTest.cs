using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text;
using System.Threading.Tasks;

namespace Fiscal
{
    /// <summary>The behaviours that clients/behaviours.json lists. With NUnit or xUnit, make each of them a method.</summary>
    internal sealed class TillTest
    {
        private static readonly Item Coffee = new Item("Coffee", 2, 120, "A");
        private readonly Emulator emulator;
        private readonly FiscalClient till;

        private TillTest(Emulator emulator)
        {
            this.emulator = emulator;
            till = new FiscalClient(emulator.Url) { Pause = TimeSpan.FromMilliseconds(100) };
        }

        private static int Main()
        {
            using (var emulator = new Emulator())
            {
                return new TillTest(emulator).RunAsync().GetAwaiter().GetResult();
            }
        }

        private async Task<int> RunAsync()
        {
            var tests = new Dictionary<string, Func<Task>>
            {
                { "pin", PinAsync },
                { "sell", SellAsync },
                { "refund", RefundAsync },
                { "copy", CopyAsync },
                { "advance", AdvanceAsync },
                { "lost-answer", LostAnswerAsync },
                { "broken-answer", BrokenAnswerAsync },
                { "gave-up", GaveUpAsync },
                { "money", MoneyAsync },
                { "codes", CodesAsync },
                { "qr", QrAsync },
                { "device", DeviceAsync },
                { "reset", ResetAsync },
            };
            var failed = 0;
            foreach (var test in tests)
            {
                try
                {
                    await emulator.ResetAsync();
                    await test.Value();
                    Console.WriteLine("ok " + test.Key);
                }
                catch (Exception error)
                {
                    failed++;
                    Console.WriteLine("not ok " + test.Key + ": " + error);
                }
            }
            return failed == 0 ? 0 : 1;
        }

        private async Task PinAsync()
        {
            await RefusedAsync("2100", "enter-pin", () => till.VerifyPinAsync("0000"));
            await till.VerifyPinAsync(emulator.Pin);
            Same(false, (await till.StatusAsync()).IsPinRequired);
        }

        private async Task SellAsync()
        {
            await till.VerifyPinAsync(emulator.Pin);
            var receipt = await till.SubmitAsync(Invoice.Sale(new Item("Кафа", 2, 120, "A")), NewId());
            Contains("Кафа (A)", receipt.Journal);
            Same(240m, receipt.TotalAmount);
            Same(1, receipt.TotalCounter);
            await CountedAsync("NS", 1);
        }

        private async Task RefundAsync()
        {
            await till.VerifyPinAsync(emulator.Pin);
            var sold = await till.SubmitAsync(Invoice.Sale(Coffee), NewId());
            var givenBack = await till.SubmitAsync(Invoice.Sale(Coffee).Refund(sold), NewId());
            Contains(sold.InvoiceNumber, givenBack.Journal);
            await CountedAsync("NR", 1);
        }

        private async Task CopyAsync()
        {
            await till.VerifyPinAsync(emulator.Pin);
            var sold = await till.SubmitAsync(Invoice.Sale(Coffee), NewId());
            var copied = await till.SubmitAsync(Invoice.Sale(Coffee).Copy(sold), NewId());
            Contains(sold.InvoiceNumber, copied.Journal);
            await CountedAsync("CS", 1);
        }

        private async Task AdvanceAsync()
        {
            await till.VerifyPinAsync(emulator.Pin);
            var deposit = Invoice.Advance(new Item("Deposit for a table", 1, 100, "A"));
            var paid = await till.SubmitAsync(deposit, NewId());
            var closed = await till.SubmitAsync(deposit.Refund(paid), NewId());
            var final = await till.SubmitAsync(Invoice.Sale(Coffee).PointingTo(closed), NewId());
            Contains(closed.InvoiceNumber, final.Journal);
            foreach (var pair in new[] { "AS", "AR", "NS" }) await CountedAsync(pair, 1);
        }

        private async Task LostAnswerAsync()
        {
            await till.VerifyPinAsync(emulator.Pin);
            await emulator.FaultAsync(new Dictionary<string, object>
            {
                { "on", "answer" }, { "nth", 1 }, { "kind", "connectionDropped" },
            });
            var requestId = NewId();
            var receipt = await till.SubmitAsync(Invoice.Sale(Coffee), requestId);
            var again = await till.SubmitAsync(Invoice.Sale(Coffee), requestId);
            Same(receipt.VerificationUrl, again.VerificationUrl);
            await CountedAsync("total", 1);
        }

        private async Task BrokenAnswerAsync()
        {
            await till.VerifyPinAsync(emulator.Pin);
            var impatient = new FiscalClient(emulator.Url, TimeSpan.FromSeconds(2)) { Pause = till.Pause };
            await emulator.FaultAsync(new Dictionary<string, object>
            {
                { "on", "answer" }, { "nth", 1 }, { "kind", "short" },
            });
            Contains("Coffee", (await impatient.SubmitAsync(Invoice.Sale(Coffee), NewId())).Journal);
            await emulator.FaultAsync(new Dictionary<string, object>
            {
                { "on", "answer" }, { "nth", 1 }, { "kind", "latency" }, { "duration", "60s" },
            });
            Contains("Coffee", (await impatient.SubmitAsync(Invoice.Sale(Coffee), NewId())).Journal);
            await CountedAsync("total", 2);
        }

        private async Task GaveUpAsync()
        {
            await till.VerifyPinAsync(emulator.Pin);
            await emulator.FaultAsync(new Dictionary<string, object>
            {
                { "on", "answer" }, { "kind", "connectionDropped" },
            });
            var requestId = NewId();
            try
            {
                await till.SubmitAsync(Invoice.Sale(Coffee), requestId);
                throw new Exception("an answer came");
            }
            catch (AnswerLost lost)
            {
                Same(requestId, lost.RequestId);
            }
            await emulator.RemoveFaultsAsync();
            Contains("Coffee", (await till.SubmitAsync(Invoice.Sale(Coffee), requestId)).Journal);
            await CountedAsync("total", 1);
        }

        private async Task MoneyAsync()
        {
            await till.VerifyPinAsync(emulator.Pin);
            Same(1.01m, new Item("Nails", 0.5m, 2.01m, "A").TotalAmount);
            var small = Invoice.Sale(new Item("Bag", 1, 0.1m, "A"), new Item("Straw", 1, 0.2m, "A"));
            Same(0.3m, small.Payment[0].Amount);
            Same(0.3m, (await till.SubmitAsync(small, NewId())).TotalAmount);
        }

        private async Task CodesAsync()
        {
            await till.VerifyPinAsync(emulator.Pin);
            var sale = Invoice.Sale(Coffee);
            var id = NewId();
            var wrong = Invoice.Sale(new Item("Coffee", 2, 120, "Q"));
            await RefusedAsync("2310", "correct", () => till.SubmitAsync(wrong, id));
            await emulator.ResetAsync();
            await till.VerifyPinAsync(emulator.Pin);
            var missing = Invoice.Sale(Coffee);
            missing.InvoiceType = null;
            await RefusedAsync("2800", "correct", () => till.SubmitAsync(missing, id));
            await emulator.ResetAsync();
            await till.VerifyPinAsync(emulator.Pin);
            await emulator.PatchCardAsync(new Dictionary<string, object> { { "limit", "100" }, { "sum", "100" } });
            await RefusedAsync("2210", "audit", () => till.SubmitAsync(sale, id));
            await emulator.RemoveCardAsync();
            await RefusedAsync("1300", "insert-card", () => till.SubmitAsync(sale, id));
            await emulator.InsertCardAsync();
            await RefusedAsync("1500", "enter-pin", () => till.SubmitAsync(sale, id));
            await emulator.LockCardAsync();
            await RefusedAsync("2110", "call", () => till.VerifyPinAsync(emulator.Pin));
        }

        private async Task QrAsync()
        {
            await till.VerifyPinAsync(emulator.Pin);
            var file = Path.GetTempFileName();
            (await till.SubmitAsync(Invoice.Sale(Coffee), NewId())).SaveQr(file);
            var head = new byte[] { 0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a };
            Same(true, File.ReadAllBytes(file).Take(8).SequenceEqual(head));
            File.Delete(file);
        }

        private async Task DeviceAsync()
        {
            var settings = new Dictionary<string, object> { { "answerForm", "device" } };
            await emulator.GivenAsync(new Dictionary<string, object> { { "settings", settings } });
            var id = NewId();
            await RefusedAsync("1500", "enter-pin", () => till.SubmitAsync(Invoice.Sale(Coffee), id));
            await RefusedAsync("2100", "enter-pin", () => till.VerifyPinAsync("0000"));
            await till.VerifyPinAsync(emulator.Pin);
            var file = Path.GetTempFileName();
            (await till.SubmitAsync(Invoice.Sale(Coffee), id)).SaveQr(file);
            Same("GIF", Encoding.ASCII.GetString(File.ReadAllBytes(file), 0, 3));
            File.Delete(file);
            await emulator.GivenAsync(new Dictionary<string, object>());
        }

        private async Task ResetAsync()
        {
            await till.VerifyPinAsync(emulator.Pin);
            await till.SubmitAsync(Invoice.Sale(Coffee), NewId());
            await emulator.RemoveCardAsync();
            await emulator.ResetAsync();
            await CountedAsync("total", 0);
            await till.VerifyPinAsync(emulator.Pin);
        }

        private static string NewId()
        {
            return Guid.NewGuid().ToString("N");
        }

        private async Task CountedAsync(string name, int expected)
        {
            Same(expected, (await emulator.CountersAsync())[name]);
        }

        private static void Same(object expected, object actual)
        {
            if (!Equals(expected, actual)) throw new Exception("expected " + expected + ", got " + actual);
        }

        private static void Contains(string part, string text)
        {
            if (!text.Contains(part)) throw new Exception("there is no " + part + " in " + text);
        }

        private static async Task RefusedAsync(string code, string action, Func<Task> call)
        {
            try
            {
                await call();
            }
            catch (FiscalError error)
            {
                Same(code + " " + action, error.Code + " " + error.Action);
                return;
            }
            throw new Exception(code + " was expected");
        }
    }
}
