import json, time
from tests.support.client import Store
def test_probe(store: Store):
    def show(label, r): print(label, r.status_code, r.headers.get("content-type"), r.text[:230])
    P=store.post
    S=b'\\ud83d'
    for f in ("content","speaker","session_id","user_id","agent_id","external_id","source","kind","occurred_at"):
        show("sur "+f, P("n", b'{"content":"x","'+f.encode()+b'":"a'+S+b'"}'))
        show("nul "+f, P("n", b'{"content":"x","'+f.encode()+b'":"a\\u0000"}'))
    show("sur mkey", P("n", b'{"content":"x","metadata":{"a'+S+b'":1}}'))
    show("sur mval", P("n", b'{"content":"x","metadata":{"a":"'+S+b'"}}'))
    show("nul mkey", P("n", b'{"content":"x","metadata":{"a\\u0000":1}}'))
    show("sur unk", P("n", b'{"content":"x","a'+S+b'":1}'))
    show("sur set", P("n", b'{"query":"x","settings":{"a'+S+b'":1}}',to="recall"))
    show("sur setval", P("n", b'{"query":"x","settings":{"k":"a'+S+b'"}}',to="recall"))
    show("sur choice", P("n", b'{"query":"x","settings":{"fusion":"a'+S+b'"}}',to="recall"))
    show("sur now", P("n", b'{"query":"x","now":"'+S+b'"}',to="recall"))
    show("sur q", P("n", b'{"query":"x'+S+b'"}',to="recall"))
    show("key sur", P("n", b'{"query":"x","a'+S+b'":1}',to="recall"))
    for v in (5, 5.5, True, "5", "2025-06-01", 1e300, -1, "now", [], {}, "2025-06-01T12:00:00+25:00", "9999-12-31T23:59:59-12:00","0001-01-01T00:00:00+12:00","0001-01-01T00:00:00Z"):
        show(f"occ {v}", P("n", {"content":"x","occurred_at":v}))
    for f in ("content","speaker","session_id","user_id","agent_id","external_id","source","kind","metadata","seq"):
        for v in (5, 1.5, True, None, [], {}, ""):
            r=P("n",{"content":"x",f:v}); 
            if r.status_code<400 : print("ok?", f, v, r.status_code)
    show("sess nul", store.http.get("/v1/namespaces/n/episodes?session_id=%00"))
    show("after", store.http.get(f"/v1/namespaces/n/episodes?after={10**30}"))
    show("after2", store.http.get(f"/v1/namespaces/n/episodes?after={2**63}"))
    show("after3", store.http.get(f"/v1/namespaces/n/episodes?limit={10**30}"))
    show("id", store.http.get(f"/v1/namespaces/n/episodes/{10**30}"))
    show("id", store.http.get(f"/v1/namespaces/n/episodes/"+"9"*5000))
    show("idabc", store.http.get("/v1/namespaces/n/episodes/abc"))
    show("put", store.http.put("/v1/namespaces/n/episodes")); print(store.http.put("/v1/namespaces/n/episodes").headers)
    show("ns", store.http.post("/v1/namespaces/%00/episodes", content=b'{"content":"x"}'))
    show("ns", store.http.post("/v1/namespaces/a%2fb/episodes", content=b'{"content":"x"}'))
    show("nsget", store.http.get("/v1/namespaces/%00/episodes"))
    show("emptyep", P("n",{"episodes":[]})); show("ep", P("n",{"episodes":{}})); show("ep", P("n",{"episodes":[1,None,"x"]}))
    show("deep", P("n", b'{"content":"x","metadata":'+b'{"a":'*900+b'1'+b'}'*900+b'}'))
    show("deep", P("n", b'['*100000))
    show("deep unk", P("n", b'{"content":"x","speaker":'+b'['*800+b']'*800+b'}'))
    show("num", P("n", b'{"content":"x","metadata":{"a":'+b'9'*5000+b'}}'))
    show("num4300", P("n", b'{"content":"x","metadata":{"a":'+b'9'*4300+b'}}'))
    show("1e999", P("n", b'{"content":"x","metadata":{"a":1e999}}'))
    show("kset", P("n", b'{"query":"x","settings":{"k":'+b'9'*4300+b'}}',to="recall"))
    show("kset", P("n", b'{"query":"x","k":1e999}',to="recall"))
    show("raise", P("n", {"query":"x «raise»"},to="recall"))
    P("n",{"content":"hello"}); store.drain()
    show("raise", P("n", {"query":"x «raise»"},to="recall"))
    show("raise", P("n", {"query":"x «raise»","settings":{"entity_weight":0}},to="recall"))
    m={"a":1e308,"b":1e16,"c":1e23,"d":-0.0,"e":5e-324,"f":0.1,"g":1.0,"h":9007199254740993,"i":10**400, "k":1e22,"l":1.5}
    r=P("n",{"content":"m","metadata":m}); got=store.read("n", r.json()["episodes"][0]["id"])["metadata"] if "episodes" in r.json() else r.text
    print({k:(m[k],got[k]) for k in m if repr(m[k])!=repr(got[k])} if isinstance(got,dict) else got)
    t=time.time(); show("longname", P("n", {"content":"x","a"*5_000_000:1})); print(time.time()-t)
    t=time.time(); show("longset", P("n", {"query":"x","settings":{"a"*5_000_000:1}},to="recall")); print(time.time()-t)
    t=time.time(); show("longset", P("n", {"query":"x","settings":{"k":"a"*5_000_000}},to="recall")); print(time.time()-t)
    h={"idempotency_key":"k1"}
    show("k", P("n",{"content":"idem"},**h)); show("k", P("n",{"content":"idem"},**h)); show("k", P("n",{"content":"idem2"},**h))
    show("badkey", P("n",{"content":"idem"},idempotency_key="x"*201)); show("badkey", P("n",{"content":"idem"},idempotency_key=""))
    show("missing", P("n",{})); show("missing", P("n",{"query":5},to="recall")); show("missing", P("n",{},to="recall"))
    print(json.dumps(store.recall("n","hello",explain=True),indent=0)[:3000])
