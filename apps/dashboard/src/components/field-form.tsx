/** A form that only collects texts and sends them: its fields are a list, in the order in which they stand. */
import { useState, type ComponentProps } from 'react'
import { ChangeForm } from './change-form.tsx'
import { Field } from './field.tsx'
import { useChange } from './use-change.ts'

interface FormField<Name> extends Omit<
  ComponentProps<typeof Field>,
  'value' | 'onChange' | 'problem'
> {
  name: Name
  /** What stands in it at first. */
  first?: string
  isOptional?: boolean
  /** Its text stays after it was sent. */
  isKept?: boolean
}

/** What was typed, without spaces around it; passwords are left as they are. */
type TextOf<Name> = (name: Name) => string

interface FieldFormProps<Name extends string> extends Omit<
  ComponentProps<typeof ChangeForm>,
  'change' | 'isFilled' | 'children' | 'status'
> {
  fields: readonly FormField<Name>[]
  send: (text: TextOf<Name>) => Promise<unknown>
  /** First words of what is read again afterwards. */
  touched: readonly string[]
  isFit?: (text: TextOf<Name>) => boolean
  /** What is said when it was taken. */
  done?: string
}

export function FieldForm<Name extends string>(props: FieldFormProps<Name>) {
  const { fields, send, touched, isFit = () => true, done, ...form } = props
  const [typed, setTyped] = useState<ReadonlyMap<Name, string>>(
    () => new Map(fields.map(({ name, first = '' }) => [name, first])),
  )
  const text = (wanted: Name): string => {
    const shown = typed.get(wanted) ?? ''
    const isPassword = fields.some(({ name, type }) => name === wanted && type === 'password')
    return isPassword ? shown : shown.trim()
  }
  const change = useChange(async () => {
    await send(text)
    const kept = fields.filter(({ isKept }) => isKept)
    setTyped(new Map(kept.map(({ name }) => [name, typed.get(name) ?? ''])))
  }, touched)
  const isFilled = fields.every(({ name, isOptional }) => isOptional || text(name) !== '')
  return (
    <ChangeForm
      {...form}
      change={change}
      isFilled={isFilled && isFit(text)}
      {...(done === undefined ? {} : { status: change.isSuccess ? done : '' })}
    >
      {fields.map((field) => (
        <Field
          key={field.name}
          {...field}
          value={typed.get(field.name) ?? ''}
          onChange={(value) => setTyped(new Map(typed).set(field.name, value))}
        />
      ))}
    </ChangeForm>
  )
}
