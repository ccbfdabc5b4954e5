using System;
using System.Collections.Generic;
using System.Linq;
using System.Runtime.Serialization;

namespace Fiscal
{
    /// <summary>An item of an invoice. Prices include tax.</summary>
    [DataContract]
    public sealed class Item
    {
        [DataMember(Name = "name")]
        public string Name { get; private set; }
        [DataMember(Name = "quantity")]
        public decimal Quantity { get; private set; }
        [DataMember(Name = "unitPrice")]
        public decimal UnitPrice { get; private set; }
        [DataMember(Name = "labels")]
        public string[] Labels { get; private set; }
        [DataMember(Name = "totalAmount")]
        public decimal TotalAmount { get; private set; }

        /// <param name="quantity">at most 3 decimals</param>
        /// <param name="unitPrice">at most 2 decimals</param>
        public Item(string name, decimal quantity, decimal unitPrice, params string[] labels)
        {
            Name = name;
            Quantity = quantity;
            UnitPrice = unitPrice;
            Labels = labels;
            TotalAmount = Math.Round(quantity * unitPrice, 2, MidpointRounding.AwayFromZero);
        }
    }

    [DataContract]
    public sealed class Payment
    {
        [DataMember(Name = "amount")]
        public decimal Amount { get; set; }
        /// <summary>Cash, Card, Check, WireTransfer, Voucher, MobileMoney or Other.</summary>
        [DataMember(Name = "paymentType")]
        public string PaymentType { get; set; }
    }

    /// <summary>An invoice as the till sends it. Refund, Copy and PointingTo return new ones. null leaves a field out.</summary>
    [DataContract]
    public sealed class Invoice
    {
        [DataMember(Name = "invoiceType", EmitDefaultValue = false)]
        public string InvoiceType { get; set; }
        [DataMember(Name = "transactionType", EmitDefaultValue = false)]
        public string TransactionType { get; set; }
        [DataMember(Name = "payment")]
        public IList<Payment> Payment { get; set; }
        [DataMember(Name = "items")]
        public IList<Item> Items { get; set; }
        [DataMember(Name = "cashier", EmitDefaultValue = false)]
        public string Cashier { get; set; }
        [DataMember(Name = "buyerId", EmitDefaultValue = false)]
        public string BuyerId { get; set; }
        [DataMember(Name = "invoiceNumber", EmitDefaultValue = false)]
        public string InvoiceNumber { get; set; }
        [DataMember(Name = "referentDocumentNumber", EmitDefaultValue = false)]
        public string ReferentDocumentNumber { get; set; }
        [DataMember(Name = "referentDocumentDT", EmitDefaultValue = false)]
        public string ReferentDocumentDT { get; set; }

        /// <summary>Paid in cash. Set Payment for other payments.</summary>
        public static Invoice Sale(params Item[] items)
        {
            var paid = new Payment { Amount = items.Sum(item => item.TotalAmount), PaymentType = "Cash" };
            return new Invoice
            {
                InvoiceType = "Normal", TransactionType = "Sale", Payment = new[] { paid }, Items = items,
            };
        }

        public static Invoice Advance(params Item[] items)
        {
            var advance = Sale(items);
            advance.InvoiceType = "Advance";
            return advance;
        }

        /// <summary>Number and time of an earlier receipt. The time chooses the tax rates of refunds and copies.</summary>
        public Invoice PointingTo(Receipt receipt)
        {
            var pointing = (Invoice)MemberwiseClone();
            pointing.ReferentDocumentNumber = receipt.InvoiceNumber;
            pointing.ReferentDocumentDT = receipt.SdcDateTime;
            return pointing;
        }

        /// <summary>Refunds an invoice. This also closes an advance, whose final invoice then names this refund.</summary>
        public Invoice Refund(Receipt receipt)
        {
            var refund = PointingTo(receipt);
            refund.TransactionType = "Refund";
            return refund;
        }

        public Invoice Copy(Receipt receipt)
        {
            var copy = PointingTo(receipt);
            copy.InvoiceType = "Copy";
            return copy;
        }
    }
}
