using System;
using System.Collections.Generic;
using System.IO;
using System.Runtime.Serialization;
using System.Runtime.Serialization.Json;

namespace Fiscal
{
    /// <summary>The fields of the answer that a till needs most.</summary>
    [DataContract]
    public sealed class Receipt
    {
        private const string Png = "data:image/png;base64,";
        /// <summary>The beginning of a GIF in base64.</summary>
        private const string Gif = "R0lGOD";

        [DataMember(Name = "invoiceNumber", IsRequired = true)]
        public string InvoiceNumber { get; private set; }
        [DataMember(Name = "sdcDateTime")]
        public string SdcDateTime { get; private set; }
        /// <summary>The text to print; null with omitTextualRepresentation.</summary>
        [DataMember(Name = "journal")]
        public string Journal { get; private set; }
        [DataMember(Name = "verificationUrl")]
        public string VerificationUrl { get; private set; }
        [DataMember(Name = "verificationQRCode")]
        public string VerificationQRCode { get; private set; }
        [DataMember(Name = "totalAmount")]
        public decimal TotalAmount { get; private set; }
        [DataMember(Name = "totalCounter")]
        public int TotalCounter { get; private set; }

        /// <summary>Writes the QR code: a PNG, or the GIF of a device.</summary>
        public void SaveQr(string file)
        {
            var picture = VerificationQRCode ?? "";
            var isPng = picture.StartsWith(Png, StringComparison.Ordinal);
            if (!isPng && !picture.StartsWith(Gif, StringComparison.Ordinal))
            {
                throw new InvalidOperationException("the receipt has no picture of a QR code; look at omitQRCodeGen");
            }
            File.WriteAllBytes(file, Convert.FromBase64String(isPng ? picture.Substring(Png.Length) : picture));
        }
    }

    [DataContract]
    public sealed class Status
    {
        [DataMember(Name = "isPinRequired")]
        public bool IsPinRequired { get; private set; }
        [DataMember(Name = "auditRequired")]
        public bool AuditRequired { get; private set; }
        [DataMember(Name = "gsc")]
        public string[] Gsc { get; private set; }
    }

    [DataContract]
    internal sealed class ErrorRecord
    {
        [DataMember(Name = "code")]
        public string Code { get; private set; }
        [DataMember(Name = "message")]
        public string Message { get; private set; }
        [DataMember(Name = "details")]
        public string Details { get; private set; }
    }

    /// <summary>The JSON of the class library that Mono, .NET Framework and .NET have in common.</summary>
    internal static class Json
    {
        private static DataContractJsonSerializer Of(Type type)
        {
            return new DataContractJsonSerializer(
                type, new DataContractJsonSerializerSettings { UseSimpleDictionaryFormat = true });
        }

        public static byte[] Write(object value)
        {
            using (var stream = new MemoryStream())
            {
                Of(value.GetType()).WriteObject(stream, value);
                return stream.ToArray();
            }
        }

        /// <exception cref="SerializationException">if the text is truncated or not of this form</exception>
        public static T Read<T>(byte[] text) where T : class
        {
            using (var stream = new MemoryStream(text))
            {
                var value = Of(typeof(T)).ReadObject(stream) as T;
                if (value == null) throw new SerializationException("a JSON object was expected");
                return value;
            }
        }
    }
}
