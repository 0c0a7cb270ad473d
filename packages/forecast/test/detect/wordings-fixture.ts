/**
 * Short pieces of pages as sites really write them, each with what it becomes later: some change by
 * themselves, some look similar but were edited by a person. They are part of an ordinary page.
 */
import { htmlPage } from './page-pairs-fixture.ts'
import type { PageBody } from '../../src/detect/page-body.ts'

type Wording = readonly [before: string, after: string]

export const NOISE_WORDINGS: readonly Wording[] = [
  ['<p>Updated 5 mins ago</p>', '<p>Updated 7 mins ago</p>'],
  ['<span class="ts">Posted 2h ago</span>', '<span class="ts">Posted 3h ago</span>'],
  ['<p>an hour ago</p>', '<p>2 hours ago</p>'],
  ['<time datetime="2026-05-01">a day ago</time>', '<time datetime="2026-05-01">3 days ago</time>'],
  ['<p>Publicado hace una hora</p>', '<p>Publicado hace 2 horas</p>'],
  ['<p>hace unos segundos</p>', '<p>hace 4 minutos</p>'],
  ['<p>há cerca de 2 horas</p>', '<p>há cerca de 3 horas</p>'],
  ['<p>Atualizado há 15 minutos</p>', '<p>Atualizado há 1 hora</p>'],
  ['<div class="clock">14:05</div>', '<div class="clock">14:06</div>'],
  ['<div id="reloj">2:05 pm</div>', '<div id="reloj">2:07 pm</div>'],
  [
    '<p>Last modified: Tue May 12 10:21:07 2026</p>',
    '<p>Last modified: Wed May 13 08:00:41 2026</p>',
  ],
  ['<p>Last updated on 12 May 2026 at 10:21</p>', '<p>Last updated on 13 May 2026 at 08:14</p>'],
  [
    '<p>This page was last edited on 3 June 2026, at 11:02 (UTC).</p>',
    '<p>This page was last edited on 4 June 2026, at 09:40 (UTC).</p>',
  ],
  ['<p>Actualizado el 12/05/2026 a las 10:21</p>', '<p>Actualizado el 13/05/2026 a las 09:11</p>'],
  ['<p>Última modificación: 12-05-2026</p>', '<p>Última modificación: 13-05-2026</p>'],
  ['<p>Atualizado em 12/05/2026 às 10h21</p>', '<p>Atualizado em 13/05/2026 às 09h02</p>'],
  [
    '<footer>Page generated in 0.231 seconds with 23 queries</footer>',
    '<footer>Page generated in 0.187 seconds with 25 queries</footer>',
  ],
  [
    '<footer>Página generada en 0,231 segundos</footer>',
    '<footer>Página generada en 0,344 segundos</footer>',
  ],
  [
    '<footer>Rendered by server web-03 · 2026-05-12 10:21:33</footer>',
    '<footer>Rendered by server web-07 · 2026-05-13 08:20:12</footer>',
  ],
  ['<footer>© 2019–2025 Norte</footer>', '<footer>© 2019–2026 Norte</footer>'],
  ['<footer>Version 4.2 (build a81f33c)</footer>', '<footer>Version 4.2 (build 77c01de)</footer>'],
  ['<p>Request ID: 7f9a1c22b3</p>', '<p>Request ID: 0be871aa41</p>'],
  ['<p>Cloudflare Ray ID: 8a1b2c3d4e5f6a7b</p>', '<p>Cloudflare Ray ID: 91b2c3d4e5f6a7c8</p>'],
  [
    '<p>Your session: 3f2504e0-4f89-41d3-9a0c-0305e82c3301</p>',
    '<p>Your session: 9d2504e0-4f89-41d3-9a0c-0305e82c33aa</p>',
  ],
  ['<a href="/x">12 Comments</a>', '<a href="/x">15 Comments</a>'],
  ['<span>1.2K views</span>', '<span>1.3K views</span>'],
  ['<span>1,2 mil visualizaciones</span>', '<span>1,4 mil visualizaciones</span>'],
  ['<span class="like-count">345</span>', '<span class="like-count">361</span>'],
  ['<span class="comments-count">(12)</span>', '<span class="comments-count">(14)</span>'],
  ['<span class="views">👁 2.345</span>', '<span class="views">👁 2.401</span>'],
  ['<p>Comentarios: 12 | Visitas: 2345</p>', '<p>Comentarios: 14 | Visitas: 2399</p>'],
  [
    '<p>Esta página ha sido visitada 12345 veces</p>',
    '<p>Esta página ha sido visitada 12399 veces</p>',
  ],
  ['<p>Você é o visitante número 45.123</p>', '<p>Você é o visitante número 45.199</p>'],
  ['<p>Contador de visitas 000123</p>', '<p>Contador de visitas 000189</p>'],
  [
    '<p>Who is online: 3 registered users and 14 guests</p>',
    '<p>Who is online: 5 registered users and 22 guests</p>',
  ],
  ['<p>En total hay 17 usuarios conectados</p>', '<p>En total hay 22 usuarios conectados</p>'],
  ['<p>Replies: 12 Views: 456</p>', '<p>Replies: 13 Views: 501</p>'],
  ['<p>Respuestas 12 · Vistas 456</p>', '<p>Respuestas 13 · Vistas 501</p>'],
  ['<p>4 likes, 2 shares</p>', '<p>6 likes, 3 shares</p>'],
  ['<p>Sale ends in 3 hours</p>', '<p>Sale ends in 2 hours</p>'],
  ['<p>Faltan 12 días</p>', '<p>Faltan 11 días</p>'],
  ['<img src="/a.jpg?t=1715520000">', '<img src="/a.jpg?t=1715521111">'],
  ['<img src="/a.jpg?1715520000">', '<img src="/a.jpg?1715521111">'],
  [
    '<a href="/list;jsessionid=AB12CD34EF">list</a>',
    '<a href="/list;jsessionid=99ZZ12CD34">list</a>',
  ],
  [
    '<a href="/p?id=3&amp;PHPSESSID=abcdef123456">p</a>',
    '<a href="/p?PHPSESSID=99aaef123456&amp;id=3">p</a>',
  ],
  ['<a href="/p?utm_source=a&amp;id=3">p</a>', '<a href="/p?utm_source=b&amp;id=3">p</a>'],
  ['<ins class="adsbygoogle"><p>Cars</p></ins>', '<ins class="adsbygoogle"><p>Boats</p></ins>'],
  [
    '<div id="div-gpt-ad-1234-0"><p>Cars</p></div>',
    '<div id="div-gpt-ad-1234-0"><p>Boats</p></div>',
  ],
  [
    '<aside class="publicidad"><p>Autos</p></aside>',
    '<aside class="publicidad"><p>Botes</p></aside>',
  ],
  ['<div class="Ad"><b>Cars</b></div>', '<div class="Ad"><b>Boats</b></div>'],
  [
    '<iframe src="https://tpc.googlesyndication.com/a?x=1"></iframe>',
    '<iframe src="https://tpc.googlesyndication.com/a?x=2"></iframe>',
  ],
  [
    '<div class="sponsored"><a href="https://a.example">A</a></div>',
    '<div class="sponsored"><a href="https://b.example">B</a></div>',
  ],
  ['<p style="background:url(/bg.jpg?v=1)">x</p>', '<p style="background:url(/bg.jpg?v=2)">x</p>'],
  ['<div class="css-1x8f3k">x</div>', '<div class="css-9qk2ab">x</div>'],
  ['<div class="sc-bdVaJa hXyZab">x</div>', '<div class="sc-bdVaJa kQwErT">x</div>'],
  ['<p>caf&eacute; &amp; t&eacute;</p>', '<p>café &#38; té</p>'],
  ['<p class="a b">x</p>', '<p class="b   a">x</p>'],
  ['<script>var t=1</script>', '<script>var t=2</script>'],
  [
    '<noscript><img src="https://px.example/1"></noscript>',
    '<noscript><img src="https://px.example/2"></noscript>',
  ],
  ['<img width="1" height="1" src="/px?1">', '<img width="1" height="1" src="/px?2">'],
  ['<p>Your IP address: 192.0.2.17</p>', '<p>Your IP address: 198.51.100.4</p>'],
  ['<label>7 + 2 = ?</label>', '<label>3 + 9 = ?</label>'],
  ['<div id="cookie-banner"><p>We use cookies</p></div>', ''],
  ['<p>1.2k shares</p>', '<p>1.4k shares</p>'],
  ['<h2>(3) Messages</h2>', '<h2>(5) Messages</h2>'],
]

export const EDIT_WORDINGS: readonly Wording[] = [
  ['<p>The exam is on 12 May 2026.</p>', '<p>The exam is on 14 May 2026.</p>'],
  ['<td>12/05/2026</td>', '<td>14/05/2026</td>'],
  ['<li>12 May 2026</li>', '<li>13 May 2026</li>'],
  ['<div class="event-date">12 May 2026</div>', '<div class="event-date">19 May 2026</div>'],
  [
    '<time datetime="2026-05-12">12 May 2026</time>',
    '<time datetime="2026-05-19">19 May 2026</time>',
  ],
  ['<p>Deadline: 12 May 2026, 14:00</p>', '<p>Deadline: 19 May 2026, 14:00</p>'],
  ['<p>Fecha límite: 12/05/2026</p>', '<p>Fecha límite: 19/05/2026</p>'],
  ['<p>Hora: 14:00</p>', '<p>Hora: 15:00</p>'],
  ['<p>14:00</p>', '<p>15:00</p>'],
  ['<td>14:00</td>', '<td>15:30</td>'],
  ['<p>Doors open at 19:30.</p>', '<p>Doors open at 20:30.</p>'],
  ['<p>Open 9:00–17:00</p>', '<p>Open 10:00–17:00</p>'],
  [
    '<p>The bridge was closed 3 years after the war.</p>',
    '<p>The bridge was closed 4 years after the war.</p>',
  ],
  ['<p>Delivery takes 3 days.</p>', '<p>Delivery takes 5 days.</p>'],
  ['<p>Finished in 3 years</p>', '<p>Finished in 4 years</p>'],
  ['<p>He is 45 years old.</p>', '<p>He is 46 years old.</p>'],
  ['<span class="price">12,50 €</span>', '<span class="price">12,90 €</span>'],
  ['<p>$1,234.00</p>', '<p>$1,334.00</p>'],
  [
    '<p>The party won 12,345 votes in the district.</p>',
    '<p>The party won 12,445 votes in the district.</p>',
  ],
  ['<p>The council has 12 members.</p>', '<p>The council has 14 members.</p>'],
  ['<p>12 in stock</p>', '<p>11 in stock</p>'],
  ['<p>Quedan 12 unidades</p>', '<p>Quedan 11 unidades</p>'],
  ['<p>Stable release: 4.2.1</p>', '<p>Stable release: 4.2.2</p>'],
  [
    '<p>Build 20260512 is the current one for Linux.</p>',
    '<p>Build 20260519 is the current one for Linux.</p>',
  ],
  [
    '<code>sha256: 9f86d081884c7d659a2feaa0c55ad015</code>',
    '<code>sha256: 60303ae22b998861bce3b28f33eec1be</code>',
  ],
  ['<p>Tel. 212-555 1234</p>', '<p>Tel. 212-555 1235</p>'],
  ['<p>Room 204</p>', '<p>Room 205</p>'],
  ['<p>Score 2:1</p>', '<p>Score 2:2</p>'],
  ['<p>Population 12345</p>', '<p>Population 12399</p>'],
  ['<td>45%</td>', '<td>46%</td>'],
  ['<p>Not available</p>', '<p>Available</p>'],
  ['<p>Sold out</p>', '<p>Tickets</p>'],
  ['<a href="/watch?v=dQw4w9WgXcQ">v</a>', '<a href="/watch?v=aaaaaaWgXcQ">v</a>'],
  ['<a href="/doc?id=12">d</a>', '<a href="/doc?id=13">d</a>'],
  ['<a href="/files/report-2025.pdf">r</a>', '<a href="/files/report-2026.pdf">r</a>'],
  ['<a href="mailto:a@example.org">m</a>', '<a href="mailto:b@example.org">m</a>'],
  ['<img src="/photos/8f3a9c2d.jpg">', '<img src="/photos/1b2c3d4e.jpg">'],
  ['<img src="/a.jpg" alt="The old bridge">', '<img src="/a.jpg" alt="The new bridge">'],
  [
    '<div class="banner">Campus closed on Monday</div>',
    '<div class="banner">Campus open on Monday</div>',
  ],
  ['<div class="address">Main street 12</div>', '<div class="address">Main street 14</div>'],
  ['<div class="add-to-cart">Add</div>', '<div class="add-to-cart">Buy</div>'],
  ['<div class="download">Get it</div>', '<div class="download">Get it now</div>'],
  ['<div class="admissions">Open</div>', '<div class="admissions">Closed</div>'],
  ['<p>x</p>', '<p class="warning">x</p>'],
  ['<p style="color:blue">x</p>', '<p style="color:red">x</p>'],
  [
    '<select name="s"><option>A</option></select>',
    '<select name="s"><option>A</option><option>B</option></select>',
  ],
  [
    '<form action="/f"><input name="a"></form>',
    '<form action="/f"><input name="a" type="date"></form>',
  ],
  ['<p>José</p>', '<p>Jose</p>'],
  ['<p>No.</p>', '<p>No!</p>'],
  ['<p>A B</p>', '<p>B A</p>'],
  [
    '<div class="anuncios"><p>No hay clases</p></div>',
    '<div class="anuncios"><p>Hay clases</p></div>',
  ],
  ['<div class="sponsors"><p>Acme</p></div>', '<div class="sponsors"><p>Norte</p></div>'],
  ['<div class="leaderboard"><p>Ana 12</p></div>', '<div class="leaderboard"><p>Ana 14</p></div>'],
  ['<div class="card-header">12 May 2026</div>', '<div class="card-header">19 May 2026</div>'],
  [
    '<article><header>12 May 2026</header></article>',
    '<article><header>19 May 2026</header></article>',
  ],
  [
    '<div class="post category-advertising"><p>Old</p></div>',
    '<div class="post category-advertising"><p>New</p></div>',
  ],
  [
    '<p>She bought 1,200 shares of the company in the spring of that year, it is said.</p>',
    '<p>She bought 1,300 shares of the company in the spring of that year, it is said.</p>',
  ],
  ['<p>The rules changed on 12 May 2026.</p>', '<p>The rules changed on 13 May 2026.</p>'],
  ['<a href="/paper?d=20260512">p</a>', '<a href="/paper?d=20260513">p</a>'],
]

/** The piece in the middle of a page that has a head, a heading and a foot. */
export function pageWith(piece: string): PageBody {
  return htmlPage(`<!doctype html><html><head><title>Norte</title></head><body>
<div class="site-header"><a href="/">Norte</a></div><main><h1>About the north</h1>
<p>The north is a place that many people have seen and few have left again.</p>
${piece}
<table><tr><td>one</td><td>1</td></tr></table></main><footer>Norte</footer></body></html>`)
}
