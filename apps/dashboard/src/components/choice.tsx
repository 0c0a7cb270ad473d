/** One of a few values: in a box that opens, or all of them in sight. */
import { Label, Radio, RadioGroup } from 'react-aria-components'

interface ChoiceProps<Value extends string> {
  label: string
  value: Value
  options: readonly (readonly [value: Value, text: string])[]
  onChange: (value: Value) => void
}

export function Select<Value extends string>(props: ChoiceProps<Value>) {
  return (
    <label className="choice">
      <b>{props.label}</b>
      <select value={props.value} onChange={({ target }) => choose(props, target.value)}>
        {props.options.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </label>
  )
}

export function Radios<Value extends string>(props: ChoiceProps<Value> & { isAcross?: boolean }) {
  return (
    <RadioGroup
      className={props.isAcross === true ? 'radios across' : 'radios'}
      value={props.value}
      onChange={(chosen) => choose(props, chosen)}
    >
      <Label>{props.label}</Label>
      {props.options.map(([value, text]) => (
        <Radio key={value} value={value}>
          {text}
        </Radio>
      ))}
    </RadioGroup>
  )
}

function choose<Value extends string>(props: ChoiceProps<Value>, chosen: string): void {
  const option = props.options.find(([value]) => value === chosen)
  if (option !== undefined) props.onChange(option[0])
}
