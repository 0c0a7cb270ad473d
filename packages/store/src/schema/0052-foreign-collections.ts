/** What another station asked for, as it asked; `spec` is what of it this station allows. Null: the same. */
export const foreignCollections = {
  version: 52,
  name: 'foreign-collections',
  statements: [`ALTER TABLE collections ADD COLUMN origin_spec TEXT`],
}
