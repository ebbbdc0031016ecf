-- A book has one of each account that only the service posts to: a second would hide money from the equation's reader.
-- Obligations bring liabilities of their own, one each.
create unique index account_chart_class_unique on ledger.account (book_id, class)
  where class in ('SettlementCash', 'StablecoinWallet', 'Suspense', 'FuelTaxExpense', 'OperatorSettlementExpense');
