/** Calls to the agent that serves this page. Changing something shows the token of its start. */
const token = document.querySelector('meta[name="minga-token"]').content

export async function call(method, path, body) {
  const response = await fetch(path, {
    method,
    headers: {
      'x-minga-token': token,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const answer = await response.json()
  if (!response.ok) throw new Error(`${answer.message} (${answer.code})`)
  return answer
}

/** Views as they come; `onView(null)` when the agent is silent. The browser asks again by itself. */
export function followViews(onView) {
  const events = new EventSource('/api/events')
  events.addEventListener('message', ({ data }) => onView(JSON.parse(data)))
  events.addEventListener('error', () => onView(null))
}
